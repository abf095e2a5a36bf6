import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { coverageOf, unpacked } from './font-coverage.ts';
import { PrintedGlyphs, parseFontFaces } from './fonts.ts';

const { resolve } = createRequire(import.meta.url);
const read = async (name: string) => new Uint8Array(await readFile(resolve(name))).buffer;
const codes = (text: string) => Array.from(text, (character) => character.codePointAt(0) ?? 0);

it('reads the glyphs of a font file, whatever its style sheet claims', async () => {
  const roboto = coverageOf(await read('pdfmake/fonts/Roboto/Roboto-Regular.ttf'));
  expect(codes('AéŒΩЖ€\u00a0\ufffd').every((code) => roboto.has(code))).toBe(true);
  expect(codes('\u202f月ا♥').some((code) => roboto.has(code))).toBe(false);
  const emoji = await unpacked(await read('@fontsource/noto-emoji/files/noto-emoji-0-400-normal.woff'));
  expect([...coverageOf(emoji)].some((code) => code > 0xffff)).toBe(true);
  expect([...coverageOf(emoji)].every((code) => code <= 0x10ffff)).toBe(true);
});

it('reads the font faces of source and minified style sheets', () => {
  const written = `@font-face {
  src: url(./files/a.woff2) format('woff2'), url(./files/a.woff) format('woff');
  unicode-range: U+0600-06FF,U+200c;
}`;
  const built = '@font-face{src:url("/assets/b-x_1.woff")format("woff");unicode-range:U+4??}';
  expect(parseFontFaces('one', written + built)).toEqual([
    {
      name: 'one-0',
      url: './files/a.woff',
      ranges: [
        [0x600, 0x6ff],
        [0x200c, 0x200c],
      ],
    },
    { name: 'one-1', url: '/assets/b-x_1.woff', ranges: [[0x400, 0x4ff]] },
  ]);
});

it('loads no font when its own glyphs suffice, and prints U+FFFD for characters without a font', async () => {
  const asked: string[] = [];
  const own = new Set(codes('abc é\ufffd'));
  const refuse = async (name: string) => {
    asked.push(name);
    throw new Error('no file');
  };
  const letters = new PrintedGlyphs(own, { regular: '', medium: '', css: refuse, load: refuse });
  expect(letters.hasAll('abé\nc')).toBe(true);
  // Direction marks are not printed; no font here has runes.
  for (const [text, printed] of [
    ['\u2068', ''],
    ['a\ufe0f', 'a'],
    ['\u16a0', '\ufffd'],
  ] as const) {
    await letters.prepare(text);
    expect(letters.printed(text, text)).toEqual([{ text: printed }]);
  }
  expect(asked).toEqual([]);
  expect(letters.files).toEqual([]);
});
