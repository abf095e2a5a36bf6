import { mostViews, type SavedView, viewMessages } from '@regie/contract/routes/views.ts';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { useApp } from '#test/app.ts';

const app = useApp();
const form = { list: '/reporting/all', name: 'Avril', search: '?from=2026-04&to=2026-04' };

it('views are stored per person and list, and can be removed', async () => {
  const [own, other] = [await app.signInWith(['read_reports']), await app.signInWith(['read_reports'])];
  const saved = await own.post('/api/views', form);
  expect(saved).toMatchObject({ status: 200, data: form });
  const { id } = saved.data as SavedView;
  expect((await own.post('/api/views', { ...form, list: '/payouts/paid' })).status).toBe(200);
  expect((await own.get('/api/views')).data).toMatchObject([{ list: '/payouts/paid' }, { id, ...form }]);
  expect((await other.get('/api/views')).data).toEqual([]);
  expect((await other.delete(`/api/views/${id}`)).status).toBe(404);
  expect((await own.delete(`/api/views/${id}`)).data).toEqual({ id });
  expect((await own.get('/api/views')).data).toHaveLength(1);
});

it('views have unique names, ignoring case', async () => {
  const own = await app.signInWith(['read_reports']);
  expect((await own.post('/api/views', form)).status).toBe(200);
  const again = await own.post('/api/views', { ...form, name: ' AVRIL ' });
  expect(again).toMatchObject({ status: 422, errors: { name: viewMessages.taken } });
  expect(await own.post('/api/views', { ...form, name: ' ' })).toMatchObject({
    ...{ status: 422, errors: { name: viewMessages.name } },
  });
  for (const wrong of [{ list: 'https://ailleurs.example' }, { search: 'q=1' }, { list: '/a/1' }])
    expect((await own.post('/api/views', { ...form, name: 'B', ...wrong })).status).toBe(422);
});

it(`a list has at most ${mostViews} views`, async () => {
  const own = await app.signInWith(['read_reports']);
  await sql`
    INSERT INTO saved_views (admin_id, list, name, search)
    SELECT ${own.admin.id}, ${form.list}, 'Vue ' || n, '' FROM generate_series(1, ${sql.lit(mostViews)}) n`.execute(
    app.db,
  );
  expect(await own.post('/api/views', form)).toMatchObject({ status: 422, errors: { name: viewMessages.tooMany } });
});

it('stores the sidebar of each person, and returns it in every session', async () => {
  const [own, other] = [await app.signInWith(['read_reports']), await app.signInWith(['read_reports'])];
  const sidebarOf = async (person: typeof own) =>
    ((await person.get('/api/auth/check')).data as { sidebar: unknown }).sidebar;
  const none = { favourites: [], opened: [] };
  expect(await sidebarOf(own)).toEqual(none);
  for (const choices of [
    { favourites: ['/reporting/imports'], opened: ['tools'] },
    { favourites: ['/reporting/imports', '/payouts/paid'], opened: [] },
  ]) {
    expect(await own.put('/api/sidebar', choices)).toMatchObject({ status: 200, data: choices });
    expect(await sidebarOf(own)).toEqual(choices);
  }
  expect(await sidebarOf(other)).toEqual(none);
});

it('refuses a favourite of another site, and more entries than a sidebar may have', async () => {
  const own = await app.signInWith([]);
  for (const wrong of [
    { favourites: ['https://ailleurs.example'], opened: [] },
    { favourites: [], opened: ['Outils !'] },
    { favourites: Array.from({ length: 101 }, () => '/accounts'), opened: [] },
    { favourites: [] },
  ])
    expect((await own.put('/api/sidebar', wrong)).status).toBe(422);
});
