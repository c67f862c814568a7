import { randomBytes } from 'node:crypto';

/** `20261130-094215-3fa9c2`: sorts by time. */
export function newRunId(started: Date): string {
  const time = started.toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${time}-${randomBytes(3).toString('hex')}`;
}

/** A project's or experiment's name as one folder that stays below its parent. */
export function runFolderName(name: string): string {
  const safe = name.replace(/[^\p{L}\p{N}._ -]/gu, '_');
  return /^\.*$/.test(safe.trim()) ? '_' : safe;
}
