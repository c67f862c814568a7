/**
 * Where the token stands that `JSON.parse` finds unexpected in a text; of this fault alone V8's message says no position.
 *
 * It is the end of the longest beginning of the text that has not this fault yet.
 */
export function unexpectedTokenOffset(text: string): number {
  let [without, having] = [0, text.length];
  while (having - without > 1) {
    const middle = (without + having) >> 1;
    if (hasUnexpectedToken(text.slice(0, middle))) having = middle;
    else without = middle;
  }
  return without;
}

function hasUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (cause) {
    return cause instanceof Error && cause.message.startsWith('Unexpected token');
  }
}
