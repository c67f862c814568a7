/** First words of the commands of `rllm` itself. */
export const OWN_WORDS: readonly string[] = [
  'advantages',
  'config',
  'estimators',
  'eval',
  'help',
  'plugins',
  'train',
];

/** Says why a plugin may not bring a command of this name, as the end of a sentence, or nothing. */
export function whyNoCommandName(name: string): string | undefined {
  const words = name.split(' ');
  if (words.length > 2 || !words.every((word) => /^[a-z][a-z0-9-]*$/.test(word))) {
    return 'must be one or two words of small letters, digits and hyphens';
  }
  const [first = ''] = words;
  return OWN_WORDS.includes(first) ? `begins with a word of rllm itself, "${first}"` : undefined;
}
