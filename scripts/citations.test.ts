import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const rulesFile = 'docs/product.md';
const textFiles = /\.(?:ts|tsx|mts|mjs|sql|css|html|md|json|sh|ya?ml)$/;

const headings = /^### (\d\d)\. /gm;
const rules = /^- \*\*(\d\d\.\d+)\*\* /gm;
const ownReferences = /(?<![\d.,:–])[123]\d\.\d{1,2}(?![\d.])/g;
/** `product §22.4`, `product §22, §39.1`. */
const citations = /\bproduct §\d+(?:\.\d+)?(?:(?:, | and )§\d+(?:\.\d+)?)*/g;
const sections = /§\d+(?:\.\d+)?/g;
const standards = /\bRFC \d+ §\d+(?:\.\d+)*/g;

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, number = '']) => number);

/** Citations of rules that do not exist, and other uses of `§` without a document. */
function findDeadCitations(text: string, known: ReadonlySet<string>): string[] {
  const dead = [...text.matchAll(citations)].flatMap(([list]) =>
    (list.match(sections) ?? [])
      .filter((section) => !known.has(section.slice(1)))
      .map((section) => `product ${section}`),
  );
  const rest = text.replaceAll(citations, '').replaceAll(standards, '');
  return [...dead, ...(rest.match(/[^\n]{0,24}§[^\n]{0,4}/g) ?? [])];
}

async function readRules() {
  const text = await readFile(resolve(root, rulesFile), 'utf8');
  return { text, chapters: all(text, headings), numbers: all(text, rules) };
}

describe('citations of product rules', () => {
  it('reports unknown rules, and sections of other documents', () => {
    const known = new Set(['22', '22.4', '39.1']);
    expect(findDeadCitations('(product §22, §22.4 and §39.1), RFC 9110 §14', known)).toEqual([]);
    expect(findDeadCitations('product §22.5. product §22, §40', known)).toEqual(['product §22.5', 'product §40']);
    for (const old of ['specification 2 §2', 'decisions §9, 16', 'Product §22', 'product\n * §22']) {
      expect(findDeadCitations(old, known)).toHaveLength(1);
    }
  });

  it('refer to rules that exist, each numbered once in its chapter', async () => {
    const { text, chapters, numbers } = await readRules();
    expect(numbers.length).toBeGreaterThan(200);
    expect(new Set(chapters).size).toBe(chapters.length);
    expect(new Set(numbers).size).toBe(numbers.length);
    const byChapter = text.split(/^### /m).slice(1);
    expect(
      byChapter.flatMap((part) => all(part, rules).filter((number) => !part.startsWith(number.slice(0, 3)))),
    ).toEqual([]);
    const known = new Set(numbers);
    expect((text.match(ownReferences) ?? []).filter((number) => !known.has(number))).toEqual([]);
  });

  it('exist in docs/product.md', async () => {
    const { chapters, numbers } = await readRules();
    const known = new Set([...chapters, ...numbers]);
    const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0');
    const cited = tracked.filter((path) => textFiles.test(path) && resolve(root, path) !== import.meta.filename);
    const dead = await Promise.all(
      cited.map(async (path) => {
        const text = await readFile(resolve(root, path), 'utf8').catch(() => '');
        return findDeadCitations(text, known).map((citation) => `${path}: ${citation}`);
      }),
    );
    expect(dead.flat()).toEqual([]);
  });
});
