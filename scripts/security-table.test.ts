import { access, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const page = await readFile(join(root, 'docs', 'security.md'), 'utf8');

/** `| 1.2.3 | 2 | sense | how it is met |` */
const rows = [...page.matchAll(/^\| (\d+\.\d+\.\d+) \| ([12]) \| ([^|]+) \| ([^|]+) \|$/gm)].map(
  ([, number = '', level = '', sense = '', how = '']) => ({ number, level, sense, how }),
);
/** Requirements of OWASP ASVS 5.0, levels 1 and 2, per chapter. */
const inChapters = [27, 11, 19, 10, 9, 35, 18, 7, 7, 29, 14, 9, 13, 9, 13, 16, 7];
const answers = ['Test', 'Code', 'Page', 'Operator', 'Part', 'Not met', 'Does not apply'];

/** Names in a row: a file, or a file with a test title. */
const named = [...page.matchAll(/`([\w./-]+\/[\w.-]+\.\w+)`(?: › `([^`]+)`)?/g)].map(
  ([, file = '', title]): [string, string | undefined] => [file, title],
);

/** A call with this title, that is neither in a comment nor skipped. */
const callOf = (title: string) => {
  const literal = title.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
  const call = `(?:\\b(?:it|test|describe|step)(?:\\.each)?|\\))\\(\\s*(['"\`])${literal}\\1`;
  return new RegExp(`^(?!\\s*(?://|\\*)).*${call}`, 'm');
};

/** Titles without quotes and escapes. */
const plain = (source: string) =>
  source
    .replaceAll(/\\u([0-9a-f]{4})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll("\\'", "'");

describe('docs/security.md', () => {
  it('lists each requirement of levels 1 and 2 once', () => {
    expect(new Set(rows.map(({ number }) => number)).size).toBe(rows.length);
    const count = (chapter: number) => rows.filter(({ number }) => number.startsWith(`${chapter}.`)).length;
    expect(inChapters.map((_, index) => count(index + 1))).toEqual(inChapters);
  });

  it('states how each requirement is met, with a test where claimed', () => {
    for (const { number, how } of rows) {
      expect(answers, number).toContain(how.split(':')[0]);
      if (how.startsWith('Test:')) expect(how, number).toMatch(/\.(test|spec)\.tsx?` › `/);
    }
  });

  it.each([
    ["it('a row'", true],
    ["test.each([\n  [1],\n])(\n  'a row'", true],
    ["// it('a row'", false],
    ["it.skip('a row'", false],
    ["const title = 'a row'", false],
  ])('finds a call by its title: %s', (source, isCall) => {
    expect(callOf('a row').test(source)).toBe(isCall);
  });

  it('names files that exist and tests in them', async () => {
    expect(named.length).toBeGreaterThan(100);
    const sources = new Map<string, string>();
    for (const [file, title] of named) {
      if (title === undefined) {
        await access(join(root, file));
        continue;
      }
      const source = sources.get(file) ?? plain(await readFile(join(root, file), 'utf8'));
      sources.set(file, source);
      expect(callOf(title).test(source), `${file} › ${title}`).toBe(true);
    }
  });
});
