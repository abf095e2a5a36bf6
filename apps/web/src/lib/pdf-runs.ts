import bidiFactory from 'bidi-js';
import { graphemesOf, type PrintedText } from './pdf-fonts.ts';

const bidi = bidiFactory();

export interface Letters {
  printed: (grapheme: string) => PrintedText[];
  spaceAfter: (font: string | undefined, space: string) => PrintedText;
}
export interface TextRun {
  text: string;
  style: object;
}
export interface Run extends PrintedText {
  style: object;
  level?: number;
}

const rightToLeft = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefe]/;
/** Letters that fonts join and set from right to left. */
const joined = /^[\p{sc=Hebr}\p{sc=Arab}\u0640](?<=[\p{L}\p{M}\u0640])/u;
const lineEnd = '\n';

export const hasRightToLeft = (text: string): boolean => rightToLeft.test(text);

/** A printable text: NFC, one kind of line end, and spaces that every font has. */
export const printable = (text: string): string =>
  text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/\r\n?|[\u2028\u2029]/g, lineEnd)
    .replaceAll(/[\u202f\u2007]/g, '\u00a0')
    .replaceAll(/[^\P{Zs}\u00a0]|[^\P{Cc}\n]/gu, ' ');

/** The mirrored signs of a right-to-left text, such as parentheses, which may need glyphs too. */
export const mirrorBrackets = (text: string): string =>
  hasRightToLeft(text) ? Array.from(text, (character) => bidi.getMirroredCharacter(character) ?? '').join('') : '';

/** The library reads UTF-16 units: a surrogate pair is passed as two letters or two signs. */
const asUnits = (text: string) =>
  text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, (one) => (/\p{L}/u.test(one) ? 'aa' : '\u2022\u2022'));

/** Runs of one font and, with right-to-left text, one level. The first letter outside isolates sets the direction. */
export function runsOf(leaves: readonly TextRun[], letters: Letters): Run[] {
  const whole = leaves.map(({ text }) => text).join('');
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
        grapheme === lineEnd || (isBackward ? !joined.test(grapheme) : level !== undefined && hasRightToLeft(grapheme));
      for (const piece of piecesOf(grapheme, isBackward, runs.at(-1)?.font, letters)) {
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

function piecesOf(grapheme: string, isBackward: boolean, before: string | undefined, letters: Letters): PrintedText[] {
  if (grapheme === lineEnd) return [{ text: lineEnd }];
  if (!isBackward) return letters.printed(grapheme);
  if (isSpace(grapheme)) return [letters.spaceAfter(before, grapheme)];
  return letters.printed(bidi.getMirroredCharacter(grapheme) ?? grapheme);
}
