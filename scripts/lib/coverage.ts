import { glob, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { routeTable } from '@regie/contract/routes.ts';
import { fr } from '@regie/web/fr.ts';
import { readScreens } from '#e2e/support/screens.ts';

const root = resolve(import.meta.dirname, '..', '..');
export const coverageFile = join(root, 'docs', 'coverage.md');

/** Tests that are generated over the whole table, or walk every screen: they single out nothing. */
const general = ['apps/api/test/rights.test.ts', 'e2e/screens.spec.ts', 'e2e/roles.spec.ts'];

export interface Place {
  file: string;
  /** Of the test around it, or of one that uses the helper it stands in; empty where the whole file does. */
  title: string;
}

/** A screen or a call, and where tests cover it, the file that does most first. */
export interface Covered {
  /** `/accounts/profiles/$id`, `PUT /release/:id/edit`. */
  what: string;
  by: Place[];
}

interface Source {
  file: string;
  /** Slashes as they are, in patterns too. */
  text: string;
}

async function readTests(): Promise<Source[]> {
  const files: string[] = [];
  for await (const file of glob(['apps/api/{src,test}/**/*.test.ts', 'e2e/*.spec.ts'], { cwd: root })) files.push(file);
  const named = files.filter((file) => !general.includes(file)).sort();
  return Promise.all(
    named.map(async (file) => ({ file, text: (await readFile(join(root, file), 'utf8')).replaceAll('\\/', '/') })),
  );
}

const quote = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
const inserted = String.raw`\$\{[^}]*\}`;
/** What may stand for a record's id, or another part of an address, in a test. */
const part = String.raw`(?:${inserted}|[\w.-]+|\(?\\d\+\)?)`;
const addressEnd = String.raw`(?=['"\`?$)#\\]|\$\{)`;

/** An address as a test writes it: its parameters are anything, any other step may be put in by the test's own table. */
function addressPattern(path: string, parameter: RegExp): string {
  const steps = path.split('/').map((step) => {
    if (parameter.test(step)) return part;
    return step === '' ? '' : `(?:${quote(step)}|${inserted})`;
  });
  return steps.join('/');
}

/** Whether each step of the address is named: in the place itself, or by a table of the same test file. */
function isNamed(path: string, parameter: RegExp, place: string, text: string): boolean {
  const [, ...steps] = path.split('/').filter((step) => !parameter.test(step));
  const written = place.split('/');
  return steps.every(
    (step) => written.includes(step) || new RegExp(String.raw`['"\`/]${quote(step)}['"\`/?]`).test(text),
  );
}

const calling = /\.(?:get|post|put|delete|upload|call|inject|fetch)\(|\b(?:GET|POST|PUT|DELETE)\b/g;
const verbs: Record<string, RegExp> = {
  GET: /get|call|inject|fetch|GET/,
  POST: /post|upload|POST/,
  PUT: /put|upload|PUT/,
  DELETE: /delete|DELETE/,
};

/** Whether the file calls an address that it keeps under a name. */
const isCalledBy = (constant: string, method: string, text: string) =>
  [...text.matchAll(new RegExp(String.raw`(?:\.(\w+)\(|'([A-Z]+)', )${constant}\b`, 'g'))].some(([, verb, name]) =>
    verbs[method]?.test(verb ?? name ?? ''),
  );

/** What the server shows outside the app and its interface (decisions §4): a smartlink's page, cover and ways on. */
const publicPages = ['/s/:slug', '/s/:slug/cover.webp', '/s/:slug/:platform'];

/** Calls of the server's tests, by their address, and those that a journey makes by their name in the contract. */
function findCall(row: { name?: string; method: string; path: string }, sources: readonly Source[]): Place[] {
  const parameter = /^:/;
  const root = row.name === undefined ? '(?<![\\w/])' : '/api';
  const address = new RegExp(`${root}(${addressPattern(row.path, parameter)})${addressEnd}`, 'g');
  const named = new RegExp(String.raw`\broutes\.${row.name}\b`, 'g');
  return rank(sources, ({ text }) => [
    ...[...text.matchAll(address)].filter((match) => {
      if (!isNamed(row.path, parameter, match[1] ?? '', text)) return false;
      const before = text.slice(Math.max(0, match.index - 160), match.index);
      const constant = /\bconst (\w+) = (?:\([^)]*\) => )?['"`]$/.exec(before)?.[1];
      if (constant !== undefined) return isCalledBy(constant, row.method, text);
      // The nearest verb before the address; without one it is a helper's, which reads unless it says otherwise.
      return verbs[row.method]?.test(before.match(calling)?.at(-1) ?? 'GET') ?? false;
    }),
    ...text.matchAll(named),
  ]);
}

/** The French behind `fr.library.title`, read as text beside its screen's address. */
function wordsOf(source: string): string | undefined {
  let found: unknown = fr;
  for (const key of source.split('.').slice(1)) {
    found =
      typeof found === 'object' && found !== null
        ? Object.entries(found).find(([name]) => name === key)?.[1]
        : undefined;
  }
  return typeof found === 'string' ? found : undefined;
}

/** What each screen is called, in its heading and in the sidebar. */
async function readScreenNames(): Promise<{ path: string; names: string[] }[]> {
  const [screens, source] = await Promise.all([
    readScreens(),
    readFile(join(root, 'apps', 'web', 'src', 'routes.tsx'), 'utf8'),
  ]);
  const [, ...rows] = source.split(/^ {4}path: /m);
  const named = screens.map(({ path }, index) => {
    const words = [...(rows[index] ?? '').matchAll(/\b(?:crumb|label): (fr\.[\w.]+)/g)];
    return { path, names: [...new Set(words.flatMap(([, name = '']) => wordsOf(name) ?? []))] };
  });
  // A name that several screens have singles out none.
  const isShared = (name: string) => named.filter(({ names }) => names.includes(name)).length > 1;
  return named.map(({ path, names }) => ({ path, names: names.filter((name) => !isShared(name)) }));
}

/** Journeys that go to the address, see that it is there, or go to the screen by its name. */
function findScreen(screen: { path: string; names: readonly string[] }, sources: readonly Source[]): Place[] {
  const parameter = /^\$/;
  const address = new RegExp(
    `(?<=['"\`/^\\s])${addressPattern(screen.path, parameter).replaceAll(`|${inserted}`, '')}${addressEnd}`,
    'g',
  );
  const named = new RegExp(
    String.raw`'(?:heading|link|option)', \{ [^}]*name: '(?:${screen.names.map(quote).join('|')})'`,
    'g',
  );
  return rank(
    sources.filter(({ file }) => file.startsWith('e2e/')),
    ({ text }) => [...text.matchAll(address), ...(screen.names.length > 0 ? text.matchAll(named) : [])],
  );
}

/** The tests where something is found, those of the file with most of it first. */
function rank(sources: readonly Source[], find: (source: Source) => RegExpMatchArray[]): Place[] {
  return sources
    .map((source) => ({ source, found: find(source) }))
    .filter(({ found }) => found.length > 0)
    .toSorted((a, b) => b.found.length - a.found.length)
    .flatMap(({ source: { file, text }, found }) => {
      const titles = new Set(found.flatMap((match) => titlesOf(text, match.index ?? 0, new Set())));
      return [...(titles.size > 0 ? titles : [''])].map((title) => ({ file, title }));
    });
}

/** The test around a place; of a place in a helper, the tests that use it. */
function titlesOf(text: string, index: number, seen: Set<string>): string[] {
  const title = titleAt(text, index);
  if (title !== '') return [title];
  // What is declared around the place, the outermost first: a helper, not what it keeps under a name.
  for (const match of text.slice(0, index).matchAll(/^( {0,2})(?:async )?(function|const) (\w+)(.*)/gm)) {
    const [line, indent = '', kind = '', name = '', rest = ''] = match;
    const between = text.slice(match.index + line.length, index);
    if (seen.has(name) || new RegExp(String.raw`^${indent}[\w}]`, 'm').test(between)) continue;
    seen.add(name);
    const isFunction = kind === 'function' || /=>|\($/.test(rest);
    const use = new RegExp(isFunction ? String.raw`\b${name}\(` : String.raw`[({]${name}\b(?=[,)}])`, 'g');
    const titles = [...text.matchAll(use)].flatMap((place) => titlesOf(text, place.index, seen));
    if (titles.length > 0) return titles;
  }
  return [];
}

function titleAt(text: string, index: number): string {
  const opening = /^([^\S\n]*)(?:test|it)(?:\.\w+)*(?:\([\s\S]*?\))??\(\s*(['"`])((?:(?!\2).)*)\2/gm;
  let title = '';
  for (const match of text.matchAll(opening)) {
    if (match.index > index) break;
    const end = text.indexOf(`\n${match[1] ?? ''}});`, match.index);
    if (end === -1 || end >= index) title = match[3] ?? '';
  }
  return title;
}

/** Every screen of the interface and every call of the server, with the tests that cover it. */
export async function collectCoverage(): Promise<{ screens: Covered[]; calls: Covered[] }> {
  const [sources, screens] = await Promise.all([readTests(), readScreenNames()]);
  return {
    screens: screens.map((screen) => ({ what: screen.path, by: findScreen(screen, sources) })),
    calls: [...routeTable, ...publicPages.map((path) => ({ method: 'GET', path }))].map((row) => ({
      what: `${row.method} ${row.path}`,
      by: findCall(row, sources),
    })),
  };
}

export interface Row {
  what: string;
  file: string;
  title: string;
}

const rowPattern = /^\| `([^`]+)` \| \[[^\]]+\]\(\.\.\/([^)]+)\) \| (.*) \|$/gm;

/** The rows of the table as it was written. */
export function readTable(text: string): Row[] {
  return [...text.matchAll(rowPattern)].map(([, what = '', file = '', title = '']) => ({
    what,
    file,
    title: readCell(title),
  }));
}

const writeCell = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('|', '\\|');
const readCell = (text: string) => text.replaceAll('\\|', '|').replaceAll('\\\\', '\\');

/** The table; a row keeps the test that it names while that one covers it. */
export function writeTable({ screens, calls }: { screens: Covered[]; calls: Covered[] }, before: string): string {
  const known = new Map(readTable(before).map((row) => [row.what, row]));
  const toRow = ({ what, by }: Covered) => {
    const kept = by.find(({ file, title }) => file === known.get(what)?.file && title === known.get(what)?.title);
    const place = kept ?? by.find(({ title }) => title !== '') ?? by[0];
    if (!place) return `| \`${what}\` | none | |`;
    const name = place.file.split('/').at(-1) ?? place.file;
    return `| \`${what}\` | [${name}](../${place.file}) | ${writeCell(place.title)} |`;
  };
  const table = (head: string, rows: Covered[]) => [
    `| ${head} | Test | Its title |`,
    '|---|---|---|',
    ...rows.map(toRow),
  ];
  return [
    '# What tests cover',
    '',
    'Every screen and every call, with a test that covers it: a journey for a screen, a test of the server or a journey for',
    'a call. Written by `node scripts/coverage-table.ts`; `scripts/lib/coverage.test.ts` fails when one has none. Beside',
    'these, every screen is held to axe in light and dark and to the width of a phone (`e2e/screens.spec.ts`), and every',
    'call to its session, its CSRF token and its capability (`apps/api/test/rights.test.ts`).',
    '',
    '## Screens',
    '',
    ...table('Screen', screens),
    '',
    '## Calls',
    '',
    ...table('Call', calls),
    '',
  ].join('\n');
}
