import type { LookupItem } from '@regie/contract/routes/accounting.ts';
import { expect, it } from 'vitest';
import { useApp } from '#test/app.ts';
import { buildAccount, buildRelease, buildTrack } from '#test/factories.ts';

const app = useApp();

it('offers at most twenty accounts by name, company and e-mail', async () => {
  const picker = await app.signInWith(['edit_reports']);
  const id = await buildAccount(app.db, {
    ...{ firstName: 'Zéphyrine', lastName: 'Quint', company: 'Les Phares', email: 'zq@phares.example' },
  });
  const found = async (q: string) =>
    (await picker.get(`/api/lookup/accounts?q=${encodeURIComponent(q)}`)).data as LookupItem[];
  const item = { id, label: 'Zéphyrine Quint', hint: 'Les Phares · zq@phares.example' };
  for (const q of ['zephyrine', 'QUINT', 'quint zeph', 'phares les', 'zq@phares', `compte n° ${id}`])
    expect(await found(q), q).toEqual([item]);
  expect(await found('%')).toEqual([]);
  expect(await found('personne de ce nom')).toEqual([]);
  for (let count = 0; count < 21; count++) await buildAccount(app.db, { lastName: 'Foule' });
  expect(await found('foule')).toHaveLength(20);
  expect((await (await app.signInWith(['read_audit'])).get('/api/lookup/accounts?q=quint')).status).toBe(403);
});

it.each(['edit_delivered_libraries', 'edit_tools', 'read_reports', 'read_subscriptions'] as const)(
  'hides the e-mails of accounts from an admin with %s only, in the list and in the search',
  async (capability) => {
    const id = await buildAccount(app.db, {
      ...{ firstName: '', lastName: '', company: null, email: `${capability}@secret.example` },
    });
    const named = await buildAccount(app.db, {
      ...{ firstName: 'Ondine', lastName: capability, company: 'Grève', email: `o-${capability}@secret.example` },
    });
    const picker = await app.signInWith([capability]);
    const found = async (q: string) => (await picker.get(`/api/lookup/accounts?q=${encodeURIComponent(q)}`)).data;
    expect(await found(`ondine ${capability}`)).toEqual([{ id: named, label: `Ondine ${capability}`, hint: 'Grève' }]);
    expect(await found('@secret.example')).toEqual([]);
    const { data } = await picker.get('/api/lookup/accounts');
    expect(JSON.stringify(data)).not.toContain('@');
    expect(id).toBeGreaterThan(0);
  },
);

it('offers people only to editors of releases', async () => {
  expect((await (await app.signInWith(['edit_paid_libraries'])).get('/api/lookup/people?q=a')).status).toBe(200);
  for (const capability of ['read_paid_libraries', 'read_delivered_libraries', 'manage_profiles'] as const) {
    expect((await (await app.signInWith([capability])).get('/api/lookup/people?q=a')).status, capability).toBe(403);
  }
});

it.each([
  ['draft', 'Brouillon'],
  ['pending', 'En attente'],
  ['delivered', 'Livrée'],
  ['cancelled', 'Annulée'],
])('offers the tracks of a %s release with its status', async (status, label) => {
  const picker = await app.signInWith(['edit_reports']);
  const accountId = await buildAccount(app.db);
  const releaseId = await buildRelease(app.db, accountId, status);
  const track = await buildTrack(app.db, accountId, { releaseId, title: `Titre ${status}` });
  const { data } = await picker.get(`/api/lookup/tracks?q=${track.isrc}`);
  expect(data).toEqual([
    { id: track.id, label: `Titre ${status}`, accountId, hint: expect.stringMatching(`${label}$`) },
  ]);
  const report = {
    ...{ trackId: track.id, userId: accountId, fromDate: 1_735_686_000_000, toDate: 1_738_364_399_999 },
    ...{
      numOfStreams: 1,
      incomeOfStreams: 1,
      numOfDownloads: 0,
      incomeOfDownloads: 0,
      numOfYoutube: 0,
      incomeOfYoutube: 0,
    },
  };
  await app.owner
    .insertInto('exchangeRates')
    .values({ month: '2025-01-01', currency: 'USD', rate: '1.1' })
    .onConflict((known) => known.doNothing())
    .execute();
  expect(await picker.post('/api/reporting/create', report)).toMatchObject({ status: 200 });
});

it('offers tracks by title and by ISRC in any spelling, with their owner', async () => {
  const picker = await app.signInWith(['edit_reports']);
  const accountId = await buildAccount(app.db);
  const track = await buildTrack(app.db, accountId, { title: 'Marée haute', isrc: 'FRZZ92600001' });
  await app.db.updateTable('tracks').set({ version: 'Remix' }).where('id', '=', track.id).execute();
  for (const q of ['maree', 'FR-ZZ9-26-00001']) {
    expect((await picker.get(`/api/lookup/tracks?q=${encodeURIComponent(q)}`)).data).toEqual([
      expect.objectContaining({ id: track.id, label: 'Marée haute (Remix)', accountId }),
    ]);
  }
  await app.owner.updateTable('tracks').set({ deletedAt: new Date() }).where('id', '=', track.id).execute();
  expect((await picker.get('/api/lookup/tracks?q=maree')).data).toEqual([]);
  expect((await (await app.signInWith(['read_tools'])).get('/api/lookup/tracks')).status).toBe(403);
});
