import { expect, it } from 'vitest';
import {
  drawInVisualOrder,
  type Inline,
  isolateDirection,
  mirrorBrackets,
  printable,
  runsOf,
} from './mixed-scripts.ts';

const style = {};
/** Fonts by script, with the coverage of the real ones. */
const fontOf = (text: string) =>
  /[\u0590-\u05ff]/.test(text) ? 'hebrew' : /[\u0600-\u06ff]/.test(text) ? 'arabic' : undefined;
const letters = {
  printed: (grapheme: string) => {
    const text = grapheme.replaceAll(/[\u2066-\u2069\u200c]/g, '');
    const font = fontOf(text);
    return [font ? { text, font } : { text }];
  },
  spaceAfter: (font: string | undefined, text: string) => (font ? { text, font } : { text }),
};
const runs = (text: string) => runsOf([{ text: printable(text), style }], letters);

/** Lines in visual order, all characters of equal width; letters within right-to-left words are not reversed. */
function seen(text: string, width = 1000): string[] {
  const node: { hasRightToLeft: true; _inlines?: Inline[] } = drawInVisualOrder({ hasRightToLeft: true });
  const inlines: Inline[] = runs(text).map((run) => ({ ...run, x: 0, width: run.text.length, height: 1 }));
  node._inlines = [...inlines];
  const lines: Inline[][] = [];
  let line: Inline[] = [];
  let x = 0;
  for (const inline of inlines) {
    if (line.length > 0 && x + inline.width > width && inline.text !== ' ') {
      lines.push(line);
      line = [];
      x = 0;
    }
    inline.x = x;
    x += inline.width;
    line.push(inline);
  }
  lines.push(line);
  return lines.map((placed) => {
    expect(placed[0]?.height).toBe(1);
    expect(placed.map((inline) => inline.x)).toEqual(placed.map((inline) => inline.x).toSorted((a, b) => a - b));
    return placed.map((inline) => inline.text).join('');
  });
}

it('splits a text of one direction by font only', () => {
  expect(runs('Été Άνοιξη')).toEqual([{ text: 'Été Άνοιξη', style }]);
  expect(
    runsOf([{ text: '月x', style }], {
      ...letters,
      printed: (text) => [text === 'x' ? { text } : { text, font: 'sc' }],
    }),
  ).toEqual([
    { text: '月', font: 'sc', style },
    { text: 'x', style },
  ]);
});

it('keeps words whole, and separates spaces, punctuation and digits', () => {
  expect(runs('يا ليل (٢٠)').map(({ text, font, level }) => [text, font, level])).toEqual([
    ['يا', 'arabic', 1],
    [' ', 'arabic', 1],
    ['ليل', 'arabic', 1],
    [' ', 'arabic', 1],
    // The opening parenthesis, drawn mirrored.
    [')', undefined, 1],
    ['٢', 'arabic', 2],
    ['٠', 'arabic', 2],
    ['(', undefined, 1],
  ]);
  expect(mirrorBrackets('يا (')).toBe(')');
  // A non-joiner is not printed: the two halves are shaped separately.
  expect(runs('می\u200cخواهم').map(({ text }) => text)).toEqual(['می', 'خواهم']);
});

it('puts the words of a line in visual order', () => {
  expect(seen('أغنية الليل (Remix Club) 2024')).toEqual(['2024 (Remix Club) الليل أغنية']);
  expect(seen('אני אוהב (Live) 1998')).toEqual(['1998 (Live) אוהב אני']);
  expect(seen('Titre أغنية الليل, 12 rue')).toEqual(['Titre 12 ,الليل أغنية rue']);
  expect(seen('🎵 أغنية')).toEqual(['أغنية 🎵']);
});

it('keeps the order of a sentence around an isolated name', () => {
  expect(seen(`Titre ${isolateDirection('أغنية الليل')}, 12 rue`)).toEqual(['Titre الليل أغنية, 12 rue']);
  expect(seen(`${isolateDirection('أغنية')} 2024, de ${isolateDirection('نور')}`)).toEqual(['أغنية 2024, de نور']);
  expect(isolateDirection('Été')).toBe('Été');
});

it('orders each line separately, with trailing spaces at its end', () => {
  expect(seen('واحد اثنان ثلاثة اربعة خمسة', 12)).toEqual(['اثنان واحد ', 'اربعة ثلاثة ', 'خمسة']);
});

it('normalises spaces, line ends and lone surrogates', () => {
  expect(printable('1\u202f000\u2009€\r\na\tb\ud800e\u0301')).toBe('1\u00a0000 €\na b\ufffdé');
});
