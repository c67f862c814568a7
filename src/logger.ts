/** Where the SDK says what a person should know; pino and console fit. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };
