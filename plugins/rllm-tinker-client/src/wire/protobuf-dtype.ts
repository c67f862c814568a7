/** `tinker_public.DType` */
export const DType = { FLOAT32: 1, INT64: 2, INT32: 3, BFLOAT16: 4 } as const;
