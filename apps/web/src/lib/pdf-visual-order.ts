import bidiFactory from 'bidi-js';

const bidi = bidiFactory();

export interface Inline {
  text: string;
  x: number;
  width: number;
  height: number;
  level?: number;
  lineEnd?: boolean;
}

const roundingTolerance = 0.001;
const isSpace = ({ text }: Inline) => text.trim() === '';

/** Rule L2 of the bidirectional algorithm, for one line. */
function reordered(words: readonly Inline[]): Inline[] {
  const levels = Uint8Array.from(words, ({ level = 0 }) => level);
  const paragraphs = [{ start: 0, end: levels.length - 1, level: 0 }];
  const indexes = bidi.getReorderedIndices('a'.repeat(levels.length), { levels, paragraphs });
  return indexes.flatMap((index) => words[index] ?? []);
}

/** From left to right. Spaces at both ends of a line stay there: pdfmake omits them when it aligns. */
function inVisualOrder(line: readonly Inline[]): Inline[] {
  const first = Math.max(
    line.findIndex((inline) => !isSpace(inline)),
    0,
  );
  const end = line.findLastIndex((inline) => !isSpace(inline)) + 1;
  if (end <= first) return [...line];
  return [...line.slice(0, first), ...reordered(line.slice(first, end)), ...line.slice(end)];
}

interface Line {
  from: number;
  end: number;
  inlines: Inline[];
  isSettled: boolean;
}

/** Reorders the inlines of a line, so that they are also written in the order that PDF readers expect. */
function settle(line: Line): void {
  line.isSettled = true;
  let x = line.from;
  const pieces = inVisualOrder(line.inlines).map((inline) => {
    const piece = { ...inline, x };
    x += inline.width;
    return piece;
  });
  for (const [index, place] of line.inlines.entries()) {
    for (const key of [...Object.keys(place), 'x']) Reflect.deleteProperty(place, key);
    Object.assign(place, pieces[index]);
  }
}

/**
 * Makes pdfmake draw inlines in visual order. The order is known once lines are broken, and pdfmake has no hook for
 * that: the text's `_inlines` are tracked as they are added to lines, and reordered when the finished line's height is
 * first read.
 */
export function drawInVisualOrder(node: object): void {
  let inlines: Inline[] = [];
  let line: Line | undefined;
  const follow = (inline: Inline) => {
    const { height } = inline;
    let own: Line | undefined;
    Object.defineProperty(inline, 'x', {
      configurable: true,
      // pdfmake splits a long word by copying its enumerable properties.
      enumerable: false,
      set(x: number) {
        const isNext = line && !line.inlines.at(-1)?.lineEnd && Math.abs(x - line.end) < roundingTolerance;
        if (!line || !isNext) line = { from: x, end: x, inlines: [], isSettled: false };
        line.inlines.push(inline);
        line.end = x + inline.width;
        own = line;
      },
    });
    Object.defineProperty(inline, 'height', {
      configurable: true,
      enumerable: true,
      get() {
        if (!own || own.isSettled) return height;
        settle(own);
        return inline.height;
      },
    });
  };
  Object.defineProperty(node, '_inlines', {
    configurable: true,
    enumerable: true,
    get: () => inlines,
    set(given: Inline[]) {
      line = undefined;
      inlines = given;
      inlines.forEach(follow);
      inlines.unshift = (...rest) => {
        rest.forEach(follow);
        return Array.prototype.unshift.apply(inlines, rest);
      };
    },
  });
}
