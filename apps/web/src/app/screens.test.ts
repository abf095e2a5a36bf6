import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AuditEntity } from '@regie/contract/audit.ts';
import { capabilityNames, withImplied } from '@regie/contract/capabilities.ts';
import { anyEditLibraries } from '@regie/contract/releases.ts';
import { routeTable } from '@regie/contract/routes.ts';
import { expect, test } from 'vitest';
import { recordLink } from '#src/domain/journal/journal-labels.ts';
import { isAllowed } from '#src/lib/session.ts';
import { pages } from './pages.ts';
import { findScreenOf, type Screen, screens } from './screens.ts';

const src = join(import.meta.dirname, '..');

/** The sources of a page and of what it imports, without `app/`. */
async function readSources(path: string, read = new Map<string, string>()): Promise<Map<string, string>> {
  if (read.has(path)) return read;
  read.set(path, await readFile(path, 'utf8'));
  for (const [, root, file = ''] of (read.get(path) ?? '').matchAll(/'(#src|\.)\/((?!app\/)[^']+\.tsx?)'/g)) {
    await readSources(join(root === '.' ? join(path, '..') : src, file), read);
  }
  return read;
}

const pageOf = (name: string) => join(src, /features\/[\w/-]+\.tsx/.exec(String(pages[name]))?.[0] ?? name);

async function callsOf({ path, frame }: Screen) {
  const sources = await readSources(pageOf(path), frame && (await readSources(pageOf(frame.path))));
  const source = [...sources.values()].join('\n');
  const names = new Set([...source.matchAll(/\broutes\.(\w+)/g)].map(([, name]) => name));
  return { source, calls: routeTable.filter(({ name }) => names.has(name)) };
}

test('every screen has a page, and every page a screen', () => {
  const paths = screens.map(({ path }) => path);
  const frames = new Set(screens.flatMap(({ frame }) => frame?.path ?? []));
  expect(Object.keys(pages).toSorted()).toEqual([...paths, ...frames].toSorted());
});

test.each(screens.map((screen) => [screen.path, screen] as const))(
  '%s is found by its URL, and requires the rights of its calls',
  async (_path, screen) => {
    const { access, to } = screen;
    expect(findScreenOf(to)).toBe(screen);
    const { source, calls } = await callsOf(screen);
    expect(calls).not.toEqual([]);
    for (const { name, method, capability } of calls) {
      if (access === 'public') expect(capability, name).toBe('public');
      // On a screen of every session the record decides.
      if (access === 'public' || access === 'session' || method === 'GET') continue;
      const isGuarded =
        (capability === anyEditLibraries && source.includes('anyEditLibraries')) ||
        [capability].flat().some((right) => source.includes(`'${right}'`));
      const isOpen = access.every((right) => isAllowed(capability, withImplied([right])));
      expect(isOpen || isGuarded, `${name} needs ${capability}`).toBe(true);
    }
  },
);

test('every screen but those before sign-in needs a session', () => {
  const open = screens.filter((screen) => screen.access === 'public').map((screen) => screen.path);
  expect(open).toEqual(['/signin', '/signup', '/reset-password', '/reset-password-action']);
});

test.each(capabilityNames)('%s opens every screen of its included capabilities', (granted) => {
  const held = withImplied([granted]);
  const wanted = screens.filter(({ access }) =>
    isAllowed(access, [granted.replace(/^edit_/, 'read_') as typeof granted]),
  );
  for (const { path, access } of wanted) expect(isAllowed(access, held), path).toBe(true);
});

test('a literal path takes precedence over one with parameters', () => {
  expect(findScreenOf('/accounts/manage-admins')?.path).toBe('/accounts/manage-admins');
  expect(findScreenOf('/journal?q=x')?.path).toBe('/journal');
  expect(findScreenOf('/nowhere')).toBeUndefined();
});

test.each(AuditEntity.options)(
  'a record of the journal of the kind %s links to its page, its owner or its list',
  (kind) => {
    const ids: Partial<Record<AuditEntity, string>> = { month: '2026-01', exchange_rate: '2026-01 USD' };
    const reference = { kind, id: ids[kind] ?? '12' };
    const record = { ...reference, name: 'Serge Kanté', isGone: false, ownerId: 7, place: null };
    const isStored = ids[kind] === undefined && kind !== 'settings';
    const link = recordLink(reference, isStored ? record : undefined);
    // No screen shows jobs, e-mails and stored files.
    if (kind === 'job' || kind === 'mail' || kind === 'file') expect(link).toBeUndefined();
    else expect(findScreenOf(link?.to ?? '')).toBeDefined();
    expect(recordLink(reference, { ...record, isGone: true })).toBeUndefined();
  },
);
