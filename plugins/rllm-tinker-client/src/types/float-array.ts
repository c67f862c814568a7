/**
 * Real numbers as the engine gave them: single precision where it declares float32 (training, protobuf samples) and where all of a
 * list in JSON are float32 by their digits, double elsewhere. No digit is lost either way.
 */
export type FloatArray = Float32Array | Float64Array;
