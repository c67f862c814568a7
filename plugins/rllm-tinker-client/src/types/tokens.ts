/** Token ids, each an integer from 0 to the vocabulary's size. */
export type Tokens = readonly number[] | Int32Array;
