/**
 * A seeded generator (mulberry32) using integer arithmetic and divisions, so that every machine draws the same numbers.
 * For demo data, never for secrets.
 */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  uint32(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** From 0 inclusive to 1 exclusive. */
  fraction(): number {
    return this.uint32() / 4_294_967_296;
  }

  /** Both bounds included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return at(list, this.int(0, list.length - 1));
  }

  /** `count` different members of the list, or all when it has fewer. */
  sample<T>(list: readonly T[], count: number): T[] {
    return this.shuffle(list).slice(0, count);
  }

  shuffle<T>(list: readonly T[]): T[] {
    const shuffled = [...list];
    for (let last = shuffled.length - 1; last > 0; last -= 1) {
      const other = this.int(0, last);
      [shuffled[last], shuffled[other]] = [at(shuffled, other), at(shuffled, last)];
    }
    return shuffled;
  }

  text(letters: string, length: number): string {
    let text = '';
    for (let count = 0; count < length; count += 1) text += letters.charAt(this.int(0, letters.length - 1));
    return text;
  }

  digits(length: number): string {
    return this.text('0123456789', length);
  }
}

/** Separate seeds per list, so that a change in one does not affect the others. */
export function seedOf(...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const character of parts.join('/')) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return hash | 0;
}

/** The member at an index; throws when it does not exist. */
export function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`no item ${index} in a list of ${list.length}`);
  return item;
}
