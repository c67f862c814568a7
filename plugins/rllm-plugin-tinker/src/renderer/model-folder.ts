import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RllmError } from 'rllm-sdk';

/** A JSON object of a model's folder. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** What a model's folder says about its text: the files that Hugging Face keeps beside the weights. */
export interface ModelFolder {
  readonly path: string;
  /** `tokenizer.json` */
  readonly tokenizer: JsonObject;
  /** `tokenizer_config.json`; empty where there is none, as in the next two. */
  readonly tokenizerConfig: JsonObject;
  /** `generation_config.json` */
  readonly generationConfig: JsonObject;
  /** `config.json` */
  readonly modelConfig: JsonObject;
  /** `chat_template.jinja`, which goes before the template of the tokenizer's config. */
  readonly templateFile: string | undefined;
}

/**
 * Reads the folder; nothing is downloaded.
 *
 * @throws RllmError CONFIG_INVALID when `tokenizer.json` is missing or a file is not a JSON object.
 */
export async function readModelFolder(path: string): Promise<ModelFolder> {
  const [tokenizer, tokenizerConfig, generationConfig, modelConfig, templateFile] = await Promise.all([
    readObject(path, 'tokenizer.json'),
    readObject(path, 'tokenizer_config.json'),
    readObject(path, 'generation_config.json'),
    readObject(path, 'config.json'),
    readText(join(path, 'chat_template.jinja')),
  ]);
  if (tokenizer === undefined) throw folderFault(`${join(path, 'tokenizer.json')} does not exist`);
  return {
    path,
    tokenizer,
    tokenizerConfig: tokenizerConfig ?? {},
    generationConfig: generationConfig ?? {},
    modelConfig: modelConfig ?? {},
    templateFile,
  };
}

/** An error that names the option by which the folder was given. */
export function folderFault(what: string, cause?: unknown): RllmError {
  const fault = {
    path: 'backend.options.tinker.tokenizer',
    message: what,
    expected: "the model's folder, with tokenizer.json, tokenizer_config.json and its chat template",
  };
  return new RllmError('CONFIG_INVALID', `${fault.path}: ${what}. Expected ${fault.expected}.`, {
    cause,
    details: { faults: [fault] },
  });
}

async function readObject(folder: string, name: string): Promise<JsonObject | undefined> {
  const path = join(folder, name);
  const text = await readText(path);
  if (text === undefined) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw folderFault(`${path} is not JSON`, cause);
  }
  if (!isObject(parsed)) throw folderFault(`${path} is not a JSON object`);
  return parsed;
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    if (isMissing(cause)) return undefined;
    throw folderFault(`${path} cannot be read`, cause);
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isMissing(error: unknown): boolean {
  return isObject(error) && (error['code'] === 'ENOENT' || error['code'] === 'ENOTDIR');
}
