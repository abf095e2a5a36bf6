import type { CheckedStatements, StatementDetail } from '@regie/contract/routes/statements.ts';
import { statementMessages } from '@regie/contract/statements.ts';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { type TestClient, useApp } from '#test/app.ts';
import { checkAsShown } from '#test/as-shown.ts';
import { buildAccount, buildTrack } from '#test/factories.ts';
import { setCurrency } from '#test/lines.ts';
import { buildReceived, buildStatement, distrokidFile, readReceived } from '#test/statements.ts';

const app = useApp();
let staff: TestClient;
let isrc: string;
let files = 0;

beforeAll(async () => {
  staff = await app.signInWith(['read_reports', 'edit_reports', 'manage_settings']);
  isrc = (await buildTrack(app.db, await buildAccount(app.db))).isrc;
});

const load = async (
  month: string,
  options: { currency?: string; amount?: string; fileName?: string; of?: string } = {},
) => {
  const { currency, amount = String(100 + files), fileName, of = isrc } = options;
  const rows = [{ isrc: of, month, amount, title: `Titre ${++files}` }];
  const test = { owner: app.owner, ownerUrl: app.database.ownerUrl };
  const id = await buildStatement(test, rows, fileName === undefined ? {} : { fileName });
  if (currency !== undefined) await setCurrency(app.owner, id, currency);
  return id;
};
const get = async (id: number) => (await staff.get(`/api/reporting/statements/${id}`)).data as StatementDetail;
const seen = async (...ids: number[]) => Promise.all(ids.map(async (id) => ({ id, version: (await get(id)).version })));
const check = (statements: { id: number; version: string }[], by = staff) =>
  by.post('/api/reporting/statements/check', { statements });
const statusOf = async (...ids: number[]) => Promise.all(ids.map(async (id) => (await get(id)).status));
const entriesOf = async (id: number) =>
  (await app.journal('statement.check')).filter(({ entityId }) => entityId === String(id));

it('validates the statements without alert at once, as if one by one', { tags: ['slow'] }, async () => {
  const [alone, one, other] = [
    await load('2024-01'),
    await load('2024-02', { amount: '10' }),
    await load('2024-03', { amount: '10' }),
  ];
  await checkAsShown(staff, `/api/reporting/statements/${alone}`, { confirmRates: true });
  for (const id of [one, other]) {
    const facts = { accountingMonth: null, declaredAmount: '10', declaredCurrency: 'USD' };
    expect(await staff.put(`/api/reporting/statements/${id}`, facts)).toMatchObject({ status: 200 });
  }
  await staff.put('/api/exchange-rates', {
    month: monthToMs('2024-03'),
    currency: 'USD',
    rate: 1.09,
    confirmFar: true,
  });
  const reply = await check(await seen(other));
  expect(reply).toMatchObject({ status: 200, data: { checked: [other], left: [] } });
  expect(reply.message).toBe('1 relevé est validé');
  // The rate of January 2024 is recent enough in February.
  expect((await check(await seen(one))).data).toEqual({ checked: [one], left: [] });
  expect(await statusOf(one, other)).toEqual(['checked', 'checked']);
  expect(await get(one)).toMatchObject({ checkNote: null, checkedBy: expect.any(String) });
  const [byHand, [together]] = [await entriesOf(alone), await entriesOf(one)];
  expect(together).toMatchObject({
    before: { status: 'loaded' },
    after: { status: 'checked', difference: '0', currency: 'USD' },
  });
  expect(together?.adminId).toBe(byHand[0]?.adminId);
});

it('skips a statement whose file announces another total, until a note explains it', { tags: ['slow'] }, async () => {
  const file = `${distrokidFile([{ isrc, month: '2024-03', amount: '1.8', title: 'Annonce' }])}Total\t18.00\tUSD\r\nTotal Rows\t2\r\n`;
  const id = await buildReceived(app.owner, file);
  await readReceived(app.database.ownerUrl, id, file);
  expect(await get(id)).toMatchObject({
    status: 'loaded',
    announced: [
      { declared: '18', sum: '1.8', currency: 'USD', line: 3 },
      { declared: '2', sum: '1', currency: null, line: 4 },
    ],
  });
  const sentences = [
    'Le fichier annonce 18,00 USD, ses lignes font 1,80 USD',
    'Le fichier annonce 2 lignes, il en a 1',
  ];
  expect((await check(await seen(id))).data).toMatchObject({ checked: [], left: [{ id, reason: sentences[0] }] });
  const checkOne = (note?: string) =>
    checkAsShown(staff, `/api/reporting/statements/${id}`, { note, confirmRates: true });
  expect(await checkOne()).toMatchObject({ status: 422, errors: { note: statementMessages.noteRequired } });
  expect(await checkOne('Un total d’un autre mois')).toMatchObject({ status: 200 });
  expect((await entriesOf(id))[0]?.after).toMatchObject({ announced: sentences });
});

it('skips the statements that need a person, and states the reason', { tags: ['slow'] }, async () => {
  await app.owner.deleteFrom('exchangeRates').where('currency', 'in', ['NOK', 'XTS']).execute();
  await staff.put('/api/exchange-rates', { month: monthToMs('2023-01'), currency: 'NOK', rate: 11, confirmFar: true });
  const plain = await load('2024-03');
  const stale = await load('2023-06', { currency: 'NOK', fileName: 'ancien.tsv' });
  const missing = await load('2023-06', { currency: 'XTS' });
  const future = await load(addMonths(monthOfInstant(Date.now()), 1), { currency: 'EUR' });
  const [twice, again] = [await load('2024-03', { amount: '7' }), await load('2024-03', { amount: '7' })];
  const differing = await load('2024-03');
  await staff.put(`/api/reporting/statements/${differing}`, {
    accountingMonth: null,
    declaredAmount: '12',
    declaredCurrency: 'USD',
  });
  const cut = await load('2024-03');
  await sql`UPDATE statements SET findings = findings || '{"mayBeCutAt": 2}' WHERE id = ${cut}`.execute(app.owner);
  const unmatched = await load('2024-03', { of: 'FRNON2400001' });
  const changed = await load('2024-03');
  const before = await seen(changed);
  await staff.put(`/api/reporting/statements/${changed}`, {
    accountingMonth: monthToMs('2024-04'),
    declaredAmount: null,
    declaredCurrency: null,
  });
  const checked = await load('2024-03');
  const version = await seen(checked);
  await checkAsShown(staff, `/api/reporting/statements/${checked}`);

  const wanted = [
    ...before,
    ...version,
    ...(await seen(plain, stale, missing, future, twice, again, differing, cut, unmatched)),
  ];
  const { status, data } = await check(wanted);
  expect(status).toBe(200);
  const { checked: done, left } = data as CheckedStatements;
  expect(done).toEqual([plain]);
  const reasons = new Map(left.map(({ id, reason }) => [id, reason]));
  const name = 'releve.tsv';
  expect(reasons).toEqual(
    new Map([
      [stale, statementMessages.confirmRates],
      [missing, statementMessages.rateMissing('XTS', 'juin 2023')],
      [future, statementMessages.confirmRates],
      [twice, statementMessages.duplicates(1, name)],
      [again, statementMessages.duplicates(1, name)],
      [differing, statementMessages.noteRequired],
      [cut, statementMessages.mayBeCut],
      [unmatched, statementMessages.unmatched],
      [changed, statementMessages.changed],
      [checked, statementMessages.alreadyChecked],
    ]),
  );
  expect(left.find(({ id }) => id === stale)?.fileName).toBe('ancien.tsv');
  expect(new Set(await statusOf(...left.map(({ id }) => id).filter((id) => id !== checked)))).toEqual(
    new Set(['loaded']),
  );
  for (const { id } of left) expect(await entriesOf(id)).toHaveLength(id === checked ? 1 : 0);
});

it('skips a statement of an unverified preset until another of that preset is validated', async () => {
  const [first, second] = [await load('2024-03', { of: 'FRPRE2400001' }), await load('2024-03', { of: isrc })];
  await sql`UPDATE statements SET preset = 'landr' WHERE id IN (${first}, ${second})`.execute(app.owner);
  expect((await get(second)).preset).toMatchObject({ isVerified: false });
  const { left } = (await check(await seen(second))).data as CheckedStatements;
  expect(left).toMatchObject([{ id: second, reason: statementMessages.unverifiedPreset }]);
  expect(await checkAsShown(staff, `/api/reporting/statements/${first}`)).toMatchObject({ status: 200 });
  expect((await get(second)).preset).toMatchObject({ isVerified: true });
  expect((await check(await seen(second))).data).toEqual({ checked: [second], left: [] });
});

it('validates a statement once when two people do so at the same time', { tags: ['slow'] }, async () => {
  const ids = [await load('2024-03'), await load('2024-03'), await load('2024-03')];
  const shown = await seen(...ids);
  const replies = await Promise.all([check(shown), check(shown.toReversed())]);
  const done = replies.map(({ data }) => (data as CheckedStatements).checked.length).sort();
  expect(done).toEqual([0, 3]);
  for (const id of ids) expect(await entriesOf(id)).toHaveLength(1);
});

it('needs the right, and at least one statement', async () => {
  const reader = await app.signInWith(['read_reports']);
  const shown = await seen(await load('2024-03'));
  expect(await check(shown, reader)).toMatchObject({ status: 403 });
  expect(await check([])).toMatchObject({ status: 422 });
});
