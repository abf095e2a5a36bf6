import bidiFactory from 'bidi-js';
import { graphemesOf, type PrintedText } from './pdf-fonts.ts';

const bidi = bidiFactory();

/** What knows the letters of a text. */
export interface Letters {
  printed: (grapheme: string) => PrintedText[];
  spaceAfter: (font: string | undefined, space: string) => PrintedText;
}
/** A text that is all of one style. */
export interface TextRun {
  text: string;
  style: object;
}
/** What is printed in one go; `level` is the bidirectional algorithm's, where a text is to be put in visual order. */
export interface Run extends PrintedText {
  style: object;
  level?: number;
}

const rightToLeft = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefe]/;
/** Letters that a font's own tables join and set from right to left. */
const joined = /^[\p{sc=Hebr}\p{sc=Arab}\u0640](?<=[\p{L}\p{M}\u0640])/u;
const lineEnd = '\n';

/** Whether a text holds letters that are read from right to left. */
export const hasRightToLeft = (text: string): boolean => rightToLeft.test(text);

/** A text as it can be printed: composed, one kind of line end, and spaces that every font has. */
export function printable(text: string): string {
  return text
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/\r\n?|[\u2028\u2029]/g, lineEnd)
    .replaceAll(/[\u202f\u2007]/g, '\u00a0')
    .replaceAll(/[^\P{Zs}\u00a0]|[^\P{Cc}\n]/gu, ' ');
}

/** The signs that a text may be printed with for it is read from right to left: the other parenthesis of each. */
export const mirrorBrackets = (text: string): string =>
  hasRightToLeft(text) ? Array.from(text, (character) => bidi.getMirroredCharacter(character) ?? '').join('') : '';

/** The library reads one UTF-16 unit at a time: what takes two is shown to it as two letters or two signs. */
const asUnits = (text: string) =>
  text.replaceAll(/[\u{10000}-\u{10ffff}]/gu, (one) => (/\p{L}/u.test(one) ? 'aa' : '\u2022\u2022'));

/**
 * Cuts a paragraph into runs of one font, and where it is read from right to left anywhere, of one level and either
 * spaces or none. Each paragraph takes its direction from its first letter that is not isolated (U+2068, U+2069).
 */
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
      // The fonts would set the digits of right-to-left scripts from right to left too; a sign takes its mirror's shape.
      const isAlone =
        grapheme === lineEnd || (isBackward ? !joined.test(grapheme) : level !== undefined && hasRightToLeft(grapheme));
      for (const piece of piecesOf(grapheme, isBackward, runs.at(-1)?.font, letters)) {
        if (piece.text !== '') add({ ...piece, style, ...(level === undefined ? {} : { level }) }, isAlone);
      }
      // A joiner that keeps letters apart: what comes is shaped by itself.
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
