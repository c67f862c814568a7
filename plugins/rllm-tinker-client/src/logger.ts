/** Where the client reports what a user may want to know: retries, pauses, silent engines. Keys never reach it. */
export interface TinkerLogger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
}

/** Drops everything; the default. */
export const SILENT: TinkerLogger = { debug: () => {}, info: () => {}, warn: () => {} };
