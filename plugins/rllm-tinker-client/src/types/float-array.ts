/**
 * Real numbers as the engine gave them: single precision where it declares float32 (training, protobuf samples), double where its
 * JSON declares nothing. No digit is lost either way.
 */
export type FloatArray = Float32Array | Float64Array;
