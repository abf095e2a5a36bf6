import type { Database } from '#src/lib/db.ts';
import { addClicks } from './smartlinks.queries.ts';

/**
 * One statement at a time stores the clicks that arrived meanwhile, so they use one connection. Only a count per link,
 * platform and day.
 */
export class ClickCounter {
  readonly #db: Database;
  #pending = new Map<string, { smartlinkId: number; platform: string; clicks: number }>();
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(db: Database) {
    this.#db = db;
  }

  count(smartlinkId: number, platform: string): Promise<void> {
    const key = `${smartlinkId} ${platform}`;
    const count = this.#pending.get(key);
    if (count) count.clicks += 1;
    else this.#pending.set(key, { smartlinkId, platform, clicks: 1 });
    this.#next ??= (this.#running ?? Promise.resolve()).then(
      () => this.#store(),
      () => this.#store(),
    );
    return this.#next;
  }

  #store(): Promise<void> {
    const clicks = [...this.#pending.values()];
    this.#pending = new Map();
    this.#next = undefined;
    this.#running = addClicks(this.#db, clicks);
    return this.#running;
  }
}
