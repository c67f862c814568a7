/** Keeps the key away from everything but the header: inspecting, logging or serialising this shows nothing. */
export class Credentials {
  readonly #key: string | undefined;
  #token: string | undefined;

  constructor(key: string | undefined) {
    this.#key = key;
  }

  /** A key whose form is known to be wrong for the engine. */
  hasPrefix(prefixes: readonly string[]): boolean {
    return prefixes.some((prefix) => this.#key?.startsWith(prefix));
  }

  get present(): boolean {
    return this.#key !== undefined;
  }

  /** Sends the token in place of the key from now on. */
  useToken(token: string): void {
    this.#token = token;
  }

  headers(): Readonly<Record<string, string>> {
    const secret = this.#token ?? this.#key;
    return secret === undefined ? {} : { 'X-API-Key': secret };
  }

  /** The key alone, which a token is asked for with. */
  keyHeaders(): Readonly<Record<string, string>> {
    return this.#key === undefined ? {} : { 'X-API-Key': this.#key };
  }

  /** The text without the key or the token, should an engine send them back in a message. */
  redact(text: string): string {
    let clean = text;
    for (const secret of [this.#key, this.#token]) {
      if (secret !== undefined && secret !== '') clean = clean.replaceAll(secret, '[key]');
    }
    return clean;
  }
}
