import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../cli/project.js';

/** A fenced block of a document. */
export interface Snippet {
  readonly language: string;
  /** The file that the block is, where its fence says one. */
  readonly name: string | undefined;
  readonly text: string;
}

export const README: string = readFileSync(join(ROOT, 'README.md'), 'utf8');

export function snippetsOf(markdown: string): readonly Snippet[] {
  return [...markdown.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)].map(([, language, name, text]) => ({
    language: language ?? '',
    name,
    text: text ?? '',
  }));
}

/** The rows of the first table after a heading, cell by cell, without its head. */
export function tableAfter(markdown: string, heading: string): readonly (readonly string[])[] {
  const section = markdown.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}
