import type { Content } from 'pdfmake/interfaces';
import type { PdfDocument } from './pdf.ts';
import type { PrintedGlyphs } from './pdf-fonts.ts';
import { hasRightToLeft, mirrorBrackets, printable, runsOf, type TextRun } from './pdf-runs.ts';

export interface PrintedDocument {
  title: string;
  content: Content[];
  footer: Content;
}

const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** A name within a sentence: its direction does not change the order of the other words. */
export const isolateDirection = (name: string): string => (hasRightToLeft(name) ? `\u2068${name}\u2069` : name);

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
export async function withGlyphs(document: PdfDocument, letters: PrintedGlyphs): Promise<PrintedDocument> {
  const { title, content, footer } = document;
  const texts = new Set<string>();
  const wholeOf = (leaves: readonly TextRun[]) => leaves.map(({ text }) => text).join('');
  withTexts([content, footer], (text) => texts.add(wholeOf(leavesOf(text, {}))));
  for (const text of texts) if (!letters.hasAll(text)) await letters.prepare(text, mirrorBrackets(text));
  const show: Show = (text, node) => {
    const leaves = leavesOf(text, {});
    const fullText = wholeOf(leaves);
    if (letters.hasAll(fullText)) return { ...node, text: leaves.map((leaf) => ({ ...leaf.style, text: leaf.text })) };
    const runs = runsOf(leaves, {
      printed: (grapheme) => letters.printed(grapheme, fullText),
      spaceAfter: (font, space) => letters.spaceAfter(font, space),
    });
    return {
      ...node,
      // Fonts of other scripts have taller lines.
      text: runs.map(({ style, ...run }) => ({ ...style, ...run, ...(run.font ? { lineHeight: 1 } : {}) })),
      ...(hasRightToLeft(fullText) ? { hasRightToLeft: true } : {}),
    };
  };
  // For pdfmake each text stays a text, split into pieces.
  const shown: Omit<PrintedDocument, 'title'> = JSON.parse(
    JSON.stringify({ content: withTexts(content, show), footer: withTexts(footer, show) }),
  );
  return { ...shown, title: printable(title).replaceAll(directionMarks, '') };
}
