/** Options of every command. */
export interface CommonOptions {
  readonly verbose?: boolean;
  readonly quiet?: boolean;
  /** False with `--no-color`. */
  readonly color: boolean;
  readonly json?: boolean;
}

/** Options of every command that reads a configuration. */
export interface ConfigOptions extends CommonOptions {
  readonly config?: string;
  readonly set?: readonly string[];
  /** False with `--no-plugins`. */
  readonly plugins: boolean;
  /** Absent, `RLLM_CONFIG_DATA_ONLY` decides. */
  readonly configDataOnly?: boolean;
}
