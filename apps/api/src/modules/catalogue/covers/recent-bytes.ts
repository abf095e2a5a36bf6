/** A least-recently-used cache, limited by total size. */
export class RecentBytes {
  readonly #maxBytes: number;
  readonly #contents = new Map<string, Buffer>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get(key: string): Buffer | undefined {
    const content = this.#contents.get(key);
    if (!content) return undefined;
    // Re-inserting makes it the newest.
    this.#contents.delete(key);
    this.#contents.set(key, content);
    return content;
  }

  set(key: string, content: Buffer): void {
    this.#remove(key);
    if (content.length > this.#maxBytes) return;
    this.#contents.set(key, content);
    this.#bytes += content.length;
    for (const oldest of this.#contents.keys()) {
      if (this.#bytes <= this.#maxBytes) return;
      this.#remove(oldest);
    }
  }

  #remove(key: string): void {
    const content = this.#contents.get(key);
    if (!content) return;
    this.#contents.delete(key);
    this.#bytes -= content.length;
  }
}
