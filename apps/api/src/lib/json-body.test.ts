import { expect, it } from 'vitest';
import { AppError } from './errors.ts';
import { parseJson } from './json-body.ts';

const codeOf = (text: string | Buffer): string => {
  try {
    parseJson(Buffer.from(text as string));
    return 'read';
  } catch (error) {
    return error instanceof AppError ? error.code : String(error);
  }
};
const nested = (depth: number, inside = '') => `${'[{"a":'.repeat(depth / 2)}1${inside}${'}]'.repeat(depth / 2)}`;

it('reads what JSON.parse reads, brackets and quotes inside texts included', () => {
  for (const text of [
    '1',
    ' null ',
    '""',
    nested(64),
    `["${'['.repeat(100)}", "\\"${'{'.repeat(100)}", "\\\\", {"]": "}"}]`,
    `["\\ud83c\\udfa7", "\\uD83D\\uDE00x", "\\\\ud800", "\\u00e9", "\\/"]`,
    '{"a": 1, "a": 2, "__proto__": {"b": 1}}',
    `[${'1'.repeat(1_000_000)}]`,
    `"${'x'.repeat(1_000_000)}"`,
    `[${'1,'.repeat(199_998)}1]`,
  ]) {
    expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(text));
  }
  expect(parseJson(Buffer.from('\u{FEFF}[1]'))).toEqual([1]);
  expect([parseJson(undefined), parseJson(Buffer.alloc(0))]).toEqual([undefined, undefined]);
  expect(Object.keys(parseJson(Buffer.from('{"__proto__": 1}')) as object)).toEqual(['__proto__']);
});

it('refuses more than 64 levels and more than 200 000 elements, whatever follows', () => {
  for (const text of [nested(66), '['.repeat(8_000_000), `{"a":${'{"b":['.repeat(40)}`, `[[],${'['.repeat(64)}]`])
    expect(codeOf(text)).toBe('invalid_data');
  for (const text of [`[${'1,'.repeat(200_000)}1]`, `[${'[],'.repeat(150_000)}1]`, `{${'"a":1,'.repeat(200_001)}`])
    expect(codeOf(text)).toBe('too_large');
});

it('refuses lone surrogates and invalid JSON', () => {
  const torn = ['"\\ud800"', '"\\udc00"', '"\\ud800\\ud800"', '"\\ud83cx\\udfa7"', '"\\\\\\ud83c"', '{"\\uDFff":1}'];
  const broken = ['', '"', '"\\', '"\\u', '"\\ud8', '"\\ud83c\\u', '[', ']', ']]]', '[1]]', '{"a"}', '\\ud83c', '[1,]'];
  for (const text of [
    ...torn,
    ...broken.slice(1),
    Buffer.from('"\xed\xa0\x80"', 'latin1'),
    Buffer.from('[1]', 'utf16le'),
  ])
    expect(codeOf(text), String(text)).toBe('invalid_data');
});
