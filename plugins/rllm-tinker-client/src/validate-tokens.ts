import { TinkerError } from './errors.js';

/** @throws TinkerError INPUT_INVALID unless there is a token and each is an integer from 0 to the vocabulary's size (else 2³¹ − 1). */
export function validateTokens(tokens: ArrayLike<number>, what: string, vocabSize: number | undefined): void {
  if (tokens.length === 0) throw new TinkerError('INPUT_INVALID', `${what} is empty.`);
  const end = vocabSize ?? 2 ** 31;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (Number.isInteger(token) && token >= 0 && token < end) continue;
    const range = vocabSize === undefined ? 'an integer from 0' : `an integer from 0 to ${vocabSize - 1}`;
    throw new TinkerError('INPUT_INVALID', `${what} has ${token} at position ${i}; a token is ${range}.`);
  }
}
