import { messages } from '@regie/contract/messages.ts';
import type { Profile } from '@regie/contract/routes/accounts.ts';
import { beforeAll, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount } from '#test/factories.ts';

const app = useApp();
let client: TestClient;
beforeAll(async () => {
  client = await app.signInWith(['manage_profiles']);
});

const send = (rows: Record<string, unknown>[], query = '') =>
  client.post(`/api/accounts/profiles/import${query}`, rows);
const read = async (id: number) => (await client.get(`/api/profile/${id}/profile`)).data as Profile;
const edits = async (id: number) =>
  (await app.journal('account.edit')).filter((entry) => entry.entityId === String(id));
const setAccount = (id: number, values: { email?: string; siren?: string; vatNumber?: string; vatRegime?: string }) =>
  app.db.updateTable('accounts').set(values).where('id', '=', id).execute();

it('fills what is empty, by number or e-mail, once, and journals it', async () => {
  const [byNumber, byEmail, complete] = [
    await buildAccount(app.db),
    await buildAccount(app.db),
    await buildAccount(app.db),
  ];
  await setAccount(byNumber, { vatNumber: 'FR44 732 829 320' });
  await setAccount(byEmail, { email: 'Maison@Exemple.fr' });
  await setAccount(complete, { siren: '732829320' });
  const rows = [
    { 'n°': byNumber, SIREN: 732_829_320, 'Numéro de TVA': 'FR44732829320', 'Régime de TVA': 'réel normal', Solde: 12 },
    { 'E-mail': 'maison@exemple.fr', 'Adresse de facturation électronique': '732829320_FACTURES', tax: 'BE0123' },
    { 'n°': `n° ${complete}`, SIREN: '732 829 320', 'Régime de TVA': '' },
  ];
  const outcome = { completed: 2, unchanged: 1, refused: [] };
  expect(await send(rows, '?dryRun')).toMatchObject({ status: 200, data: outcome });
  expect(await read(byNumber)).toMatchObject({ siren: null });

  expect(await send(rows)).toMatchObject({
    status: 200,
    data: outcome,
    meta: { warnings: [messages.columnsIgnored(['Solde'])] },
  });
  expect(await read(byNumber)).toMatchObject({ siren: '732829320', tax: 'FR44 732 829 320', vatRegime: 'normal' });
  expect(await read(byEmail)).toMatchObject({ siren: null, electronicAddress: '732829320_FACTURES', tax: 'BE0123' });
  expect(await edits(byNumber)).toMatchObject([
    { before: { siren: null, vatRegime: null }, after: { siren: '732829320', vatRegime: 'normal' } },
  ]);
  expect(await edits(complete)).toEqual([]);

  expect(await send(rows)).toMatchObject({ status: 200, data: { completed: 0, unchanged: 3, refused: [] } });
  expect(await edits(byNumber)).toHaveLength(1);
});

it('refuses a whole file for one row that is invalid or differs, naming each row', async () => {
  const [sound, other, twin, erased] = [
    await buildAccount(app.db),
    await buildAccount(app.db),
    await buildAccount(app.db),
    await buildAccount(app.db),
  ];
  await setAccount(sound, { email: 'double@exemple.fr' });
  await setAccount(twin, { email: 'double@exemple.fr' });
  await setAccount(other, { siren: '732829320', vatRegime: 'simplified' });
  await app.owner.updateTable('accounts').set({ erasedAt: new Date() }).where('id', '=', erased).execute();
  const siren = '732829320';
  const refusals: [Record<string, unknown>, string][] = [
    [{ account: 'abc', siren }, messages.importNoAccount],
    [{ account: erased, siren }, messages.importNoAccount],
    [{ siren }, messages.importNoAccount],
    [{ account: await buildAccount(app.db), siren, tax: 'FR77918273640' }, messages.otherSiren('918273640')],
    [{ account: await buildAccount(app.db), siren, electronicAddress: '918273640' }, messages.otherAddress(siren)],
    [{ email: 'double@exemple.fr', siren }, messages.importManyAccounts],
    [{ account: twin, email: 'autre@exemple.fr', siren }, messages.importOtherEmail],
    [{ account: sound, siren }, messages.importTwice(`Le compte ${sound}`, 1)],
    [
      { account: other, siren: '552 100 554', vatRegime: 'normal' },
      messages.importDiffers(['SIREN 732829320', 'régime de TVA Réel simplifié']),
    ],
  ];
  const rows = [{ account: sound, siren }, ...refusals.map(([row]) => row)];
  const refused = refusals.map(([, message], index) => ({ row: index + 2, message }));
  expect(await send(rows, '?dryRun')).toMatchObject({ data: { completed: 1, unchanged: 0, refused } });
  expect(await send(rows)).toMatchObject({
    status: 422,
    errors: { 1: messages.importNoAccount, global: messages.importRefused(refusals.length) },
  });
  expect(await read(sound)).toMatchObject({ siren: null });
  expect(await edits(sound)).toEqual([]);
});

it.each([
  [{ siren: '732829321' }, messages.invalidSiren],
  [{ electronicAddress: 'factures@exemple.fr' }, messages.electronicAddress],
  [{ vatRegime: 'réel' }, messages.vatRegime],
  [{ tax: 'x'.repeat(41) }, messages.maxLength(40)],
])('refuses %j', async (values, message) => {
  const account = await buildAccount(app.db);
  expect(await send([{ account, ...values }], '?dryRun')).toMatchObject({ data: { refused: [{ row: 1, message }] } });
});

it('needs manage_profiles', async () => {
  const reader = await app.signInWith(['edit_reports']);
  const reply = await reader.post('/api/accounts/profiles/import', [{ account: 1, siren: '732829320' }]);
  expect(reply).toMatchObject({ status: 403 });
});

it('the form refuses numbers of different companies, unless the caller knows the VAT number only', async () => {
  const id = await buildAccount(app.db);
  const profile = { fname: 'Awa', lname: 'Diallo', country: 'France', tax: 'FR77918273640' };
  const save = (values: object) => client.put(`/api/profile/${id}/profile`, { ...profile, ...values });
  expect(await save({ siren: '732829320' })).toMatchObject({
    status: 422,
    errors: { siren: messages.otherSiren('918273640') },
  });
  expect(await save({ electronicAddress: '732829320_A' })).toMatchObject({
    status: 422,
    errors: { electronicAddress: messages.otherAddress('918273640') },
  });
  expect(await save({ siren: '918273640', electronicAddress: '918273640_A' })).toMatchObject({ status: 200 });
  expect(await save({ tax: 'FR44732829320' })).toMatchObject({ status: 200 });
});
