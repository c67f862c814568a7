/**
 * Resolves in the next turn of the event loop, after what waits for input and output had its say. Work over hundreds of
 * rollouts is cut with it into slices, so that no other part of the program is held up.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
