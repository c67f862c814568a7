/** A name in lines of at most `width` characters, broken where it has joints for it; a joint stays at the end of its line. */
export function brokenName(name: string, width: number): readonly string[] {
  const lines: string[] = [''];
  for (const part of name.match(/[^_:,]+[_:,]?|[_:,]/g) ?? []) {
    const last = lines.at(-1) as string;
    if (last !== '' && last.length + part.length > width) lines.push(part);
    else lines[lines.length - 1] = last + part;
  }
  return lines;
}
