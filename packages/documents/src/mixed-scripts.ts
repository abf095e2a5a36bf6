/**
 * Texts in several scripts, of which some run from right to left. pdfmake neither chooses a font by character nor knows
 * the bidirectional order, and it has no hook between breaking lines and drawing them, which is when the order of a
 * line's words is known. So texts are split into runs of one font and one direction before pdfmake reads them, and its
 * private fields are followed while it breaks lines. An upgrade of pdfmake is checked by `print.test.ts` and
 * `e2e/contract.spec.ts`.
 */
import bidiFactory, { type Bidi } from 'bidi-js';
import { graphemesOf, type PrintedGlyphs, type PrintedText } from './fonts.ts';

// TypeScript reads its CommonJS types differently for Node and for a bundler; both are given the function.
const bidi = (bidiFactory as unknown as () => Bidi)();

type Glyphs = Pick<PrintedGlyphs, 'printed' | 'spaceAfter'>;
interface TextRun {
  text: string;
  style: object;
}
interface Run extends PrintedText {
  style: object;
  level?: number;
}

const rightToLeft = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefe]/;
/** Letters that fonts join and set from right to left. */
const joinedLetter = /^[\p{sc=Hebr}\p{sc=Arab}\u0640](?<=[\p{L}\p{M}\u0640])/u;
const lineEnd = '\n';

const wholeOf = (leaves: readonly TextRun[]) => leaves.map(({ text }) => text).join('');
const hasRightToLeft = (text: string): boolean => rightToLeft.test(text);

/** A printable text: NFC, one kind of line end, and spaces that every font has. */
export const printable = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/\r\n?|[\u2028\u2029]/g, lineEnd)
    .replaceAll(/[\u202f\u2007]/g, '\u00a0')
    .replaceAll(/[^\P{Zs}\u00a0]|[^\P{Cc}\n]/gu, ' ');

const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
/** A title outside the pages, which readers show by themselves. */
export const toPlainText = (title: string): string => printable(title).replaceAll(directionMarks, '');

/** A name within a sentence: its direction does not change the order of the other words. */
export const isolateDirection = (name: string): string => (hasRightToLeft(name) ? `\u2068${name}\u2069` : name);

/** The mirrored signs of a right-to-left text, such as parentheses, which may need glyphs too. */
export const mirrorBrackets = (text: string): string =>
  hasRightToLeft(text) ? Array.from(text, (character) => bidi.getMirroredCharacter(character) ?? '').join('') : '';

/** The library reads UTF-16 units: a surrogate pair is passed as two letters or two signs. */
const asUnits = (text: string) =>
  text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, (one) => (/\p{L}/u.test(one) ? 'aa' : '\u2022\u2022'));

/** Runs of one font and, with right-to-left text, one level. The first letter outside isolates sets the direction. */
export function runsOf(leaves: readonly TextRun[], glyphs: Glyphs): Run[] {
  const whole = wholeOf(leaves);
  const levels = hasRightToLeft(whole) ? bidi.getEmbeddingLevels(asUnits(whole)).levels : undefined;
  const runs: Run[] = [];
  let at = 0;
  let isOpen = false;
  const add = (run: Run, isAlone: boolean) => {
    const last = runs.at(-1);
    const isSame = last && last.style === run.style && last.font === run.font && last.level === run.level;
    if (last && isSame && isOpen && !isAlone && (run.level === undefined || isSpace(last.text) === isSpace(run.text)))
      last.text += run.text;
    else runs.push(run);
    isOpen = !isAlone;
  };
  for (const { text, style } of leaves) {
    for (const grapheme of graphemesOf(text)) {
      const level = levels?.[at];
      const isBackward = level !== undefined && level % 2 === 1;
      // Fonts would also set digits of right-to-left scripts from right to left; signs are mirrored.
      const isAlone =
        grapheme === lineEnd ||
        (isBackward ? !joinedLetter.test(grapheme) : level !== undefined && hasRightToLeft(grapheme));
      const pieces =
        isBackward && isSpace(grapheme)
          ? [glyphs.spaceAfter(runs.at(-1)?.font, grapheme)]
          : glyphs.printed((isBackward && bidi.getMirroredCharacter(grapheme)) || grapheme, whole);
      for (const piece of grapheme === lineEnd ? [{ text: lineEnd }] : pieces) {
        if (piece.text !== '') add({ ...piece, style, ...(level === undefined ? {} : { level }) }, isAlone);
      }
      // A non-joiner: the text after it is shaped separately.
      if (grapheme.endsWith('\u200c')) isOpen = false;
      at += grapheme.length;
    }
  }
  return runs;
}

const isSpace = (text: string) => /^\s/.test(text);

const isNode = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function leavesOf(text: unknown, style: object): TextRun[] {
  if (Array.isArray(text)) return text.flatMap((part: unknown) => leavesOf(part, style));
  if (!isNode(text)) return [{ text: printable(String(text ?? '')), style }];
  const { text: own, ...rest } = text;
  return leavesOf(own, rest);
}

const holders = ['stack', 'ul', 'ol', 'columns'];
type Show = (text: unknown, node: Record<string, unknown>) => unknown;

function withTexts(content: unknown, show: Show): unknown {
  if (typeof content === 'string') return show(content, {});
  if (Array.isArray(content)) return content.map((part: unknown) => withTexts(part, show));
  if (!isNode(content)) return content;
  if ('text' in content) return show(content.text, content);
  const shown = Object.entries(content).map(([key, value]) => {
    if (holders.includes(key)) return [key, withTexts(value, show)];
    if (key === 'table' && isNode(value)) return [key, { ...value, body: withTexts(value.body, show) }];
    return [key, value];
  });
  return Object.fromEntries(shown);
}

/** Assigns fonts to every text. @throws Error when a font file cannot be loaded */
export async function assignFonts<Part>(content: Part, glyphs: PrintedGlyphs): Promise<Part> {
  const texts = new Set<string>();
  withTexts(content, (text) => texts.add(wholeOf(leavesOf(text, {}))));
  for (const text of texts) if (!glyphs.hasAll(text)) await glyphs.prepare(text, mirrorBrackets(text));
  const show: Show = (text, node) => {
    const leaves = leavesOf(text, {});
    const fullText = wholeOf(leaves);
    if (glyphs.hasAll(fullText)) return { ...node, text: leaves.map((leaf) => ({ ...leaf.style, text: leaf.text })) };
    return {
      ...node,
      // Fonts of other scripts have taller lines.
      text: runsOf(leaves, glyphs).map(({ style, ...run }) => ({
        ...style,
        ...run,
        ...(run.font ? { lineHeight: 1 } : {}),
      })),
      ...(hasRightToLeft(fullText) ? { hasRightToLeft: true } : {}),
    };
  };
  // For pdfmake each text stays a text, split into pieces.
  return JSON.parse(JSON.stringify(withTexts(content, show)));
}

export interface Inline {
  text: string;
  x: number;
  width: number;
  height: number;
  level?: number;
  lineEnd?: boolean;
}

const roundingTolerance = 0.001;
const isBlank = ({ text }: Inline) => text.trim() === '';

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
    line.findIndex((inline) => !isBlank(inline)),
    0,
  );
  const end = line.findLastIndex((inline) => !isBlank(inline)) + 1;
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

/** A text's `_inlines` are tracked as they are added to lines, and reordered when a finished line's height is first read. */
function followLines(node: object): void {
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

/** Makes pdfmake draw the texts that `assignFonts` marked in visual order. */
export function drawInVisualOrder<Part>(part: Part): Part {
  if (typeof part !== 'object' || part === null) return part;
  if ('hasRightToLeft' in part) followLines(part);
  for (const child of Object.values(part)) drawInVisualOrder(child);
  return part;
}

const backward = /^[\p{sc=Arab}\p{sc=Hebr}\p{M}]+$/u;

/** Readers reverse right-to-left text by character: a ligature's letters must be in visual order, or لا reads ال. */
export function mapLigaturesToText(made: object): void {
  if (!('_fontFamilies' in made) || typeof made._fontFamilies !== 'object') return;
  for (const font of Object.values(made._fontFamilies ?? {})) {
    const unicode: unknown = font?.unicode;
    if (!Array.isArray(unicode)) continue;
    for (const codes of unicode) {
      if (Array.isArray(codes) && codes.length > 1 && backward.test(String.fromCodePoint(...codes))) codes.reverse();
    }
  }
}
