/** One thing that every part of a kind must do. `run` throws, or rejects with, an error that says what it did instead. */
export interface ContractCheck<Result extends void | Promise<void> = void | Promise<void>> {
  readonly name: string;
  run(): Result;
}
