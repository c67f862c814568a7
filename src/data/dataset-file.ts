import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { messageOf, RllmError } from '../errors.js';
import type { Task } from '../workflow/workflow.js';
import { assertRow } from './dataset.js';
import { arrayRowLines, lineAt } from './json-lines.js';
import { rowId } from './task-id.js';

interface Row {
  readonly value: unknown;
  /** 1-based. */
  readonly line: number;
}

/**
 * The rows of a dataset file: `.jsonl` has one JSON object per line (empty lines are skipped), `.json` is an array of objects.
 *
 * The file is UTF-8, read whole into memory.
 *
 * @param options.idField  field that holds a row's id (`data.idField`); two rows with one id are refused.
 * @throws RllmError DATASET_INVALID with `file:line` and the start of the row's text, for the first row that is wrong.
 * @throws RllmError DATASET_EMPTY when the file has no row.
 */
export async function loadDatasetFile(
  path: string,
  options: { readonly idField?: string } = {},
): Promise<Task[]> {
  const read = READERS[extname(path).toLowerCase()];
  if (read === undefined) {
    throw new RllmError(
      'DATASET_INVALID',
      `${path}: a dataset file must end in ${Object.keys(READERS).join(' or ')}.`,
    );
  }
  const rows = read(path, await readText(path));
  if (rows.length === 0) throw new RllmError('DATASET_EMPTY', `${path} has no rows.`);
  return checkedRows(path, rows, options.idField ?? 'id');
}

const READERS: Readonly<Record<string, (path: string, text: string) => readonly Row[]>> = {
  '.jsonl': readJsonl,
  '.json': readJsonArray,
};

async function readText(path: string): Promise<string> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    throw new RllmError('DATASET_INVALID', `The dataset file ${path} cannot be read: ${messageOf(cause)}`, {
      cause,
    });
  }
  try {
    // TextDecoder drops a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new RllmError('DATASET_INVALID', `${path} is not UTF-8 text.`, { cause });
  }
}

function readJsonl(path: string, text: string): readonly Row[] {
  const rows: Row[] = [];
  text.split('\n').forEach((source, index) => {
    if (source.trim() === '') return;
    const line = index + 1;
    try {
      rows.push({ value: JSON.parse(source), line });
    } catch (cause) {
      throw new RllmError(
        'DATASET_INVALID',
        `${path}:${line}: this line is not one JSON value (${messageOf(cause)}): ${start(source)}`,
        { cause },
      );
    }
  });
  return rows;
}

function readJsonArray(path: string, text: string): readonly Row[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const offset = /position (\d+)/.exec(messageOf(cause))?.[1];
    const at = offset === undefined ? path : `${path}:${lineAt(text, Number(offset))}`;
    throw new RllmError('DATASET_INVALID', `${at}: not valid JSON: ${messageOf(cause)}`, { cause });
  }
  if (!Array.isArray(value)) {
    throw new RllmError(
      'DATASET_INVALID',
      `${path}:1: a .json dataset must be an array of objects, but it starts with ${start(text)}`,
    );
  }
  const lines = arrayRowLines(text);
  return value.map((row, index) => ({ value: row, line: lines[index] ?? 1 }));
}

function checkedRows(path: string, rows: readonly Row[], idField: string): Task[] {
  const lineOfId = new Map<string, number>();
  return rows.map(({ value, line }, index) => {
    assertRow(value, `${path}:${line}: a row`);
    const id = rowId(value, index, idField, `${path}:${line}`);
    const earlier = lineOfId.get(id);
    if (earlier !== undefined) {
      throw new RllmError(
        'DATASET_INVALID',
        `${path}:${line}: the id ${JSON.stringify(id)} is already that of line ${earlier}: ${start(JSON.stringify(value))}`,
        { details: { id, lines: [earlier, line] } },
      );
    }
    lineOfId.set(id, line);
    return value;
  });
}

function start(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 80 ? `${line.slice(0, 80)}…` : line;
}
