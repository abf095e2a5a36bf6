import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AuditEntity } from '@regie/contract/audit.ts';
import { capabilityNames, withImplied } from '@regie/contract/capabilities.ts';
import { routes } from '@regie/contract/routes.ts';
import { expect, test } from 'vitest';
import { recordLink } from '#src/domain/journal/journal-labels.ts';
import { isAllowed } from '#src/lib/session.ts';
import { findScreenOf, type Screen, screens } from './routes.tsx';
import { frameUses, screenCalls } from './screen-calls.fixtures.ts';

/** The minimal sets of capabilities that open the screen. */
function visitors({ access }: Screen): readonly (readonly (typeof capabilityNames)[number][])[] {
  return access === 'public' || access === 'session' ? [[]] : access.map((capability) => [capability]);
}

function callsOf({ path }: Screen) {
  const calls = screenCalls[path];
  if (!calls) throw new Error(`screen-calls.fixtures.ts has no ${path}`);
  return calls;
}

test('paths are unique, and the calls of every screen are declared', () => {
  const paths = screens.map((screen) => screen.path);
  expect(new Set(paths).size).toBe(paths.length);
  expect(Object.keys(screenCalls).toSorted()).toEqual(paths.toSorted());
});

test.each(screens.map((screen) => [screen.path, screen] as const))('%s', (_path, screen) => {
  if (screen.access !== 'public' && screen.access !== 'session') {
    expect(screen.access.length).toBeGreaterThan(0);
    for (const capability of screen.access) expect(capabilityNames).toContain(capability);
  }
  const { needs, uses = [] } = callsOf(screen);
  for (const name of [...needs, ...uses]) expect(routes, `the contract has no row ${name}`).toHaveProperty(name);
  for (const name of needs) {
    const { capability } = routes[name];
    if (capability === 'public') continue;
    expect(screen.access, `a public screen cannot need ${name}`).not.toBe('public');
    for (const held of visitors(screen)) {
      expect(isAllowed(capability, held), `${held.join()} opens ${screen.path} but may not call ${name}`).toBe(true);
    }
  }
  expect(screen.crumb).not.toBe('');
  if (screen.parent !== undefined) expect(findScreenOf(screen.parent), `no screen ${screen.parent}`).toBeDefined();
  if (screen.nav) expect(findScreenOf(screen.nav.to ?? screen.path), 'a dead sidebar entry').toBe(screen);
});

test('the "+" of a list opens an entry of the same section, and no two lists have the same', () => {
  const lists = screens.filter(({ nav }) => nav?.create !== undefined);
  for (const { nav } of lists) {
    expect(screens.find(({ path }) => path === nav?.create)?.nav?.section, nav?.create).toBe(nav?.section);
  }
  expect(new Set(lists.map(({ nav }) => nav?.create)).size).toBe(lists.length);
});

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

test('every API call is declared by a screen', async () => {
  const declared = new Set<string>([
    ...frameUses,
    ...screens.map(callsOf).flatMap(({ needs, uses = [] }) => [...needs, ...uses]),
  ]);
  const src = join(import.meta.dirname, '..');
  const made = new Set<string>();
  for await (const path of glob('{app,domain,features}/**/*.{ts,tsx}', { cwd: src })) {
    const source = await readFile(join(src, path), 'utf8');
    for (const [, name] of source.matchAll(/\broutes\.(\w+)/g)) if (name && name in routes) made.add(name);
  }
  expect(made.size).toBeGreaterThan(5);
  expect([...made].filter((name) => !declared.has(name))).toEqual([]);
});
