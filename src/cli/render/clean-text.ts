/** Everything that is not to be sent to a terminal as it is: control characters, and marks that turn the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

const NAMES = new Map([
  ['\n', '\\n'],
  ['\t', '\\t'],
  ['\r', '\\r'],
]);

/** Text on one line that a terminal shows and does not obey: a model may write escape codes. */
export function cleanText(text: string): string {
  return text.replace(
    UNSAFE,
    (char) => NAMES.get(char) ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Keeps the start and the end of a text longer than `limit` characters, and says how many were left out between. */
export function cutMiddle(text: string, limit: number): string {
  const chars = [...text];
  if (chars.length <= limit) return text;
  const head = Math.ceil(limit / 2);
  const tail = limit - head;
  const cut = chars.length - limit;
  return `${chars.slice(0, head).join('')} … ${cut} characters … ${chars.slice(chars.length - tail).join('')}`;
}
