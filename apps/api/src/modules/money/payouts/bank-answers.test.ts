import { setTimeout as delay } from 'node:timers/promises';
import { bankMessages } from '@regie/contract/bank-answers.ts';
import { payoutMessages } from '@regie/contract/payouts.ts';
import type { BatchDetail, Preflight } from '@regie/contract/routes/payouts.ts';
import { signatureMessages } from '@regie/contract/signatures.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifyLedger } from '#src/modules/platform/verify/verify.service.ts';
import { type TestAdmin, type TestClient, useApp } from '#test/app.ts';
import { signAsShown } from '#test/as-shown.ts';
import { deepCount } from '#test/deep.ts';
import { buildPayee, readBalance } from '#test/payouts.ts';

const app = useApp();
let client: TestClient & { admin: TestAdmin };
let signers: (TestClient & { admin: TestAdmin })[];
const house = {
  ...{ name: 'Maison Régie', address: '3 rue Haute', postcode: '13002', city: 'Marseille', country: 'France' },
  ...{ siren: '', vatNumber: '', electronicAddress: '', vatRegime: '', email: '' },
  ...{ iban: 'FR1420041010050500013M02606', bic: 'PSSTFRPPXXX' },
};

beforeAll(async () => {
  client = await app.signInWith();
  signers = [await app.signInWith(), await app.signInWith()];
  await app.addSignatories(...signers.map(({ admin }) => admin));
  await app.owner
    .insertInto('settings')
    .values([
      { key: 'house', value: JSON.stringify(house) },
      { key: 'payoutApprovalEur', value: '10000000' },
      { key: 'unsignedEur', value: '5000' },
    ])
    .execute();
});

const address = (id: number, rest = '') => `/api/payouts/batches/${id}${rest}`;
const detail = async (id: number) => (await client.get(address(id))).data as BatchDetail;

/** An exported batch of payouts of 10, 20, 30 … EUR. */
async function exportBatch(count: number, values: Parameters<typeof buildPayee>[2] = {}) {
  const payouts: number[] = [];
  const accounts: number[] = [];
  for (let n = 1; n <= count; n += 1) {
    const payee = await buildPayee(app.owner, String(n * 10), n === 1 ? values : {});
    const body = { userId: payee.accountId, account: payee.billingId, amount: n * 10 };
    payouts.push(((await client.post('/api/payouts/request', body)).data as { payoutId: number }).payoutId);
    accounts.push(payee.accountId);
  }
  const { id } = (await client.post('/api/payouts/batches', { payouts, confirmWarnings: true })).data as { id: number };
  expect(await client.post(address(id, '/export'))).toMatchObject({ status: 200 });
  const { messageId } = await detail(id);
  return { id, payouts, accounts, messageId };
}
type Sent = Awaited<ReturnType<typeof exportBatch>>;

interface Said {
  group?: string;
  /** By position in the batch: status, reason code, words. */
  payments?: Record<number, [status: string, code?: string, said?: string]>;
  counts?: Record<string, number>;
  original?: string;
  amount?: string;
  of?: 'GrpSts' | 'PmtInfSts';
}
let reports = 0;
function write({ messageId, payouts }: Sent, { group = '', payments = {}, counts = {}, of = 'GrpSts', ...said }: Said) {
  reports += 1;
  const status = group && `<${of}>${group}</${of}>`;
  const counted = Object.entries(counts).map(
    ([name, n]) => `<NbOfTxsPerSts><DtldNbOfTxs>${n}</DtldNbOfTxs><DtldSts>${name}</DtldSts></NbOfTxsPerSts>`,
  );
  const listed = Object.entries(payments).map(
    ([n, [txStatus, code, words]]) =>
      `<TxInfAndSts><OrgnlEndToEndId>${messageId}-${payouts[Number(n)] ?? 'x'}</OrgnlEndToEndId><TxSts>${txStatus}</TxSts><StsRsnInf>${
        code ? `<Rsn><Cd>${code}</Cd></Rsn>` : ''
      }${words ? `<AddtlInf>${words}</AddtlInf>` : ''}</StsRsnInf>${
        said.amount ? `<OrgnlTxRef><Amt><InstdAmt Ccy="EUR">${said.amount}</InstdAmt></Amt></OrgnlTxRef>` : ''
      }</TxInfAndSts>`,
  );
  return `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt><GrpHdr><MsgId>R${reports}</MsgId></GrpHdr>
    <OrgnlGrpInfAndSts><OrgnlMsgId>${said.original ?? messageId}</OrgnlMsgId>${of === 'GrpSts' ? status : ''}${counted.join('')}</OrgnlGrpInfAndSts>
    <OrgnlPmtInfAndSts>${of === 'PmtInfSts' ? status : ''}${listed.join('')}</OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>`;
}
const send = (id: number, xml: string, by: TestClient = client) =>
  by.upload(address(id, '/bank-report'), { field: 'report', fileName: 'pain002.xml', bytes: Buffer.from(xml) });
const report = (batch: Sent, said: Said) => send(batch.id, write(batch, said));
const preflight = async (payouts: number[]) =>
  (await client.post('/api/payouts/batches/preflight', { payouts })).data as Preflight;

async function sign(proposal: number | undefined) {
  for (const signer of signers) {
    expect(await signAsShown(signer, 'proposal', proposal ?? 0)).toMatchObject({ status: 200 });
  }
}

const expectSound = async () => expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);

describe('a verification of payees before anything is executed', () => {
  it('names near and other holders, and the batch is abandoned with two signatures and paid anew', async () => {
    const batch = await exportBatch(4, { owner: 'Z. Oeuvrard' });
    const said: NonNullable<Said['payments']> = {
      0: ['RVMC', '', 'Zélie Œuvrard'],
      1: ['RVNM'],
      2: ['RVMC', '', 'Awa DIALLO'],
    };
    const answer = { group: 'RVCM', payments: said, counts: { RCVC: 1 } };
    expect(await report(batch, answer)).toMatchObject({ status: 200, data: { answers: 4, returned: 0 } });
    expect((await detail(batch.id)).bank).toMatchObject({
      counts: { near: 2, none: 1, match: 1 },
      isExecuted: false,
      proposal: null,
    });
    const rows = (await client.get(address(batch.id, '/payouts'))).data as Preflight['rows'];
    expect(rows.map(({ bankAnswer }) => [bankAnswer?.verdict, bankAnswer?.said])).toEqual([
      ['near', 'Zélie Œuvrard'],
      ['none', null],
      ['near', 'Awa DIALLO'],
      ['match', null],
    ]);
    const abandon = () => client.post(address(batch.id, '/abandon'));
    expect(await abandon()).toMatchObject({
      status: 200,
      message: signatureMessages.waits,
      data: { state: 'exported' },
    });
    const { proposal } = (await detail(batch.id)).bank;
    expect(proposal).toMatchObject({ move: 'abandon' });
    await sign(proposal?.id);
    expect(await detail(batch.id)).toMatchObject({ state: 'void', bank: { looseIds: batch.payouts, proposal: null } });
    expect(await client.get(address(batch.id, '/sepa.xml'))).toMatchObject({ status: 409 });
    expect(await report(batch, { group: 'ACSC' })).toMatchObject({ status: 409, message: payoutMessages.batchState });
    await expectSound();

    // The new batch: the doubtful payees need signatures although no limit does, the verified one does not.
    const checked = await preflight(batch.payouts);
    expect(checked.rows.map(({ problems }) => problems)).toEqual([
      ...Array.from({ length: 3 }, () => ['payee_doubtful']),
      [],
    ]);
    expect(checked).toMatchObject({ needSignatures: 3, signatureReasons: ['payee'] });
    const again = await client.post('/api/payouts/batches', { payouts: batch.payouts, confirmWarnings: true });
    const { id } = again.data as { id: number };
    expect(await client.post(address(id, '/export'))).toMatchObject({ message: signatureMessages.missing(3) });
    for (const signer of signers) expect((await signAsShown(signer, 'batch', id)).status).toBe(200);
    expect(await client.post(address(id, '/export'))).toMatchObject({ status: 200 });
    const { messageId } = await detail(id);
    expect(messageId).not.toBe(batch.messageId);
    const renewed = { ...batch, id, messageId };
    expect(await report(renewed, { group: 'ACSC' })).toMatchObject({ status: 200, data: { answers: 4 } });
    expect(await client.post(address(id, '/pay'))).toMatchObject({ status: 200, data: { state: 'paid' } });
    expect(await report(renewed, { payments: { 0: ['RJCT'] } })).toMatchObject({ message: bankMessages.paid });
    for (const payout of batch.payouts) expect(await readBalance(app.owner, `payout:${payout}`)).toBe('0.000000');
    await expectSound();
  });

  it('the corrected name of the holder ends the doubt', async () => {
    const batch = await exportBatch(1, { owner: 'Sibylle' });
    await report(batch, { payments: { 0: ['RVMC', '', 'Sibylle Marchand'] } });
    await client.post(address(batch.id, '/abandon'));
    await sign((await detail(batch.id)).bank.proposal?.id);
    expect(await preflight(batch.payouts)).toMatchObject({ rows: [{ problems: ['payee_doubtful'] }] });
    await sql`UPDATE billing_accounts SET owner = 'Sibylle Marchand' WHERE owner = 'Sibylle'`.execute(app.owner);
    expect(await preflight(batch.payouts)).toMatchObject({ rows: [{ problems: [] }], needSignatures: 0 });
  });

  it('paid all the same, doubtful payees need two signatures; a later answer ends the proposal', async () => {
    const batch = await exportBatch(2);
    await report(batch, { payments: { 0: ['RVNM'], 1: ['RCVC'] } });
    const pay = () => client.post(address(batch.id, '/pay'));
    expect(await pay()).toMatchObject({ message: signatureMessages.waits, data: { state: 'exported' } });
    expect(await app.journal('payout_batch.propose_pay')).toMatchObject([{ after: { doubtful: 1 } }]);
    const first = (await detail(batch.id)).bank.proposal;
    await report(batch, { payments: { 1: ['RVMC', '', 'Awa D.'] } });
    expect((await detail(batch.id)).bank.proposal).toBeNull();
    expect(await signAsShown(signers[0] ?? client, 'proposal', first?.id ?? 0)).toMatchObject({ status: 409 });
    await pay();
    await sign((await detail(batch.id)).bank.proposal?.id);
    expect(await detail(batch.id)).toMatchObject({ state: 'paid' });
    await expectSound();
  });
});

describe('an execution', () => {
  it('in part returns the rejected payouts alone; the files stay the same and the batch is never abandoned', async () => {
    const batch = await exportBatch(3);
    const [file, before] = [await client.get(address(batch.id, '/sepa.xml')), await detail(batch.id)];
    const rejected = batch.payouts[1] ?? 0;
    const xml = write(batch, {
      group: 'PART',
      payments: { 1: ['RJCT', 'AC04', 'Compte clos'] },
      counts: { ACSC: 2, RJCT: 1 },
    });
    expect(await send(batch.id, xml)).toMatchObject({ status: 200, data: { answers: 3, returned: 1 } });
    expect(await send(batch.id, xml)).toMatchObject({ status: 409, message: bankMessages.known });
    const now = await detail(batch.id);
    expect(now).toMatchObject({
      ...{ count: 2, totalEur: 40, files: { sepa: 3 }, sepaEur: before.sepaEur, sepaSha256: before.sepaSha256 },
      bank: { isExecuted: true, looseIds: [rejected], left: [{ payoutId: rejected, bankAnswer: { code: 'AC04' } }] },
    });
    expect((await client.get(address(batch.id, '/sepa.xml'))).bytes.equals(file.bytes)).toBe(true);
    expect(await client.get(`/api/payouts/payout/${rejected}`)).toMatchObject({
      data: { payoutState: 'PENDING', isExported: false, bankAnswer: { outcome: 'rejected', code: 'AC04' } },
    });
    expect(await app.journal('payout.reject')).toMatchObject([{ entityId: String(rejected), after: { code: 'AC04' } }]);
    expect(await client.post(address(batch.id, '/abandon'))).toMatchObject({ message: bankMessages.executed });
    expect(await report(batch, { payments: { 1: ['ACSC'] } })).toMatchObject({
      status: 422,
      errors: { report: bankMessages.contradiction(`${batch.messageId}-${rejected}`) },
    });
    expect(await client.post(address(batch.id, '/pay'))).toMatchObject({ status: 200 });
    expect(await readBalance(app.owner, `payout:${rejected}`)).toBe('20.000000');
    expect(await preflight([rejected])).toMatchObject({ rows: [{ problems: ['bank_rejected'] }] });
    const again = await client.post('/api/payouts/batches', { payouts: [rejected], confirmWarnings: true });
    const { id } = again.data as { id: number };
    for (const act of ['/export', '/pay']) expect((await client.post(address(id, act))).status).toBe(200);
    await expectSound();
  });

  it('rejected as a whole leaves the batch whole until it is abandoned, by status of the file or of each payment', async () => {
    for (const said of [
      { group: 'RJCT' },
      { group: 'RJCT', of: 'PmtInfSts' as const },
      { payments: { 0: ['RJCT', 'FF01'] as [string, string], 1: ['RJCT', 'FF01'] as [string, string] } },
    ]) {
      const batch = await exportBatch(2);
      expect(await report(batch, said)).toMatchObject({ status: 200, data: { answers: 2, returned: 0 } });
      expect(await detail(batch.id)).toMatchObject({ count: 2, bank: { rejected: 2, isExecuted: false } });
      expect(await client.post(address(batch.id, '/pay'))).toMatchObject({ message: bankMessages.rejectedUnpaid });
      await client.post(address(batch.id, '/abandon'));
      await sign((await detail(batch.id)).bank.proposal?.id);
      expect(await detail(batch.id)).toMatchObject({ state: 'void', bank: { looseIds: batch.payouts } });
    }
    await expectSound();
  });

  it('of which the file says nothing of some payments leaves those as they are', async () => {
    const batch = await exportBatch(3);
    await report(batch, { group: 'RVCM', payments: { 0: ['RVNM'] }, counts: { RCVC: 1, RVNA: 1 } });
    expect((await detail(batch.id)).bank.counts).toEqual({ none: 1 });
    await report(batch, { group: 'ACTC' }).then((reply) =>
      expect(reply).toMatchObject({ status: 422, errors: { report: bankMessages.silent } }),
    );
    // Accepted first and rejected later, as instant transfers are.
    await report(batch, { payments: { 0: ['ACCP'], 1: ['ACCP'], 2: ['ACCP'] } });
    expect(await report(batch, { payments: { 2: ['RJCT', 'AC01'] } })).toMatchObject({ data: { returned: 1 } });
    await expectSound();
  });

  it('is typed for one payment, of PayPal as well, and moves a rejected one with two signatures only', async () => {
    const batch = await exportBatch(2, { type: 'paypal', email: 'awa@exemple.fr' });
    const [paypal = 0, bank = 0] = batch.payouts;
    const type = (body: object) => client.post(address(batch.id, '/bank-answer'), body);
    expect(await type({ payoutId: bank })).toMatchObject({ status: 422, errors: { verdict: bankMessages.nothing } });
    expect(await type({ payoutId: 987_654, outcome: 'accepted' })).toMatchObject({ status: 422 });
    expect(await client.post(address(batch.id, '/return'))).toMatchObject({ message: bankMessages.noneRejected });
    // A typing error is corrected by typing.
    for (const outcome of ['rejected', 'accepted']) {
      expect(await type({ payoutId: bank, outcome })).toMatchObject({ data: { answers: 1, returned: 0 } });
    }
    await type({ payoutId: paypal, outcome: 'rejected', code: 'AC04', said: 'Adresse inconnue' });
    expect((await app.journal('payout_batch.answer')).at(-1)).toMatchObject({
      before: { payoutId: paypal, outcome: null },
      after: { payoutId: paypal, outcome: 'rejected', code: 'AC04' },
    });
    expect(await detail(batch.id)).toMatchObject({ count: 2, bank: { rejected: 1, looseIds: [] } });
    expect(await client.post(address(batch.id, '/pay'))).toMatchObject({ message: bankMessages.rejectedUnpaid });
    expect(await client.post(address(batch.id, '/return'))).toMatchObject({ message: signatureMessages.waits });
    await sign((await detail(batch.id)).bank.proposal?.id);
    expect(await detail(batch.id)).toMatchObject({
      ...{ count: 1, files: { paypal: 1, sepa: 1 } },
      bank: { rejected: 0, looseIds: [paypal], left: [{ bankAnswer: { outcome: 'rejected', code: 'AC04' } }] },
    });
    expect(await type({ payoutId: paypal, outcome: 'accepted' })).toMatchObject({ status: 422 });
    expect(await client.post(address(batch.id, '/pay'))).toMatchObject({ status: 200, data: { state: 'paid' } });
    await expectSound();
  });

  it('a typed rejection is replaced by the file of the bank', async () => {
    const batch = await exportBatch(1);
    await client.post(address(batch.id, '/bank-answer'), { payoutId: batch.payouts[0], outcome: 'rejected' });
    expect(await report(batch, { group: 'ACSC' })).toMatchObject({ status: 200, data: { answers: 1, returned: 0 } });
    expect(await client.post(address(batch.id, '/pay'))).toMatchObject({ status: 200, data: { state: 'paid' } });
  });

  it('a typed verdict does not lift a doubt', async () => {
    const batch = await exportBatch(1);
    await report(batch, { payments: { 0: ['RVNM'] } });
    const type = (verdict: string) =>
      client.post(address(batch.id, '/bank-answer'), { payoutId: batch.payouts[0], verdict });
    expect(await type('match')).toMatchObject({ status: 409, message: bankMessages.doubtStays });
    expect(await type('near')).toMatchObject({ status: 200 });
    expect(await client.post(address(batch.id, '/pay'))).toMatchObject({ message: signatureMessages.waits });
  });
});

it('a report of another file, payment or amount is refused by its name and changes nothing', async () => {
  const batch = await exportBatch(2);
  const refused = async (said: Said, text: string) =>
    expect(await report(batch, said)).toMatchObject({ status: 422, errors: { report: text } });
  const reference = `${batch.messageId}-${batch.payouts[0]}`;
  await refused({ group: 'ACSC', original: 'AUTRE' }, bankMessages.foreign('AUTRE', batch.messageId));
  await refused({ payments: { 9: ['RJCT'] } }, bankMessages.unknown(`${batch.messageId}-x`));
  for (const amount of ['9.39', '9.404', '9,40', '1e1']) {
    await refused({ payments: { 0: ['RJCT'] }, amount }, bankMessages.amount(reference));
  }
  await refused({ payments: { 0: ['XXXX'] } }, bankMessages.status('XXXX'));
  const twice = write(batch, { payments: { 0: ['RJCT'] } }).replace(/(<TxInfAndSts>.*<\/TxInfAndSts>)/, '$1$1');
  expect(await send(batch.id, twice)).toMatchObject({ errors: { report: bankMessages.twice(reference) } });
  const reader = await app.signInWith(['read_pending_payout']);
  expect((await send(batch.id, write(batch, { group: 'ACSC' }), reader)).status).toBe(403);
  expect((await detail(batch.id)).bank.reports).toEqual([]);
  // The fee is not transferred: 9.40 of 10.
  expect(await report(batch, { payments: { 0: ['RJCT'] }, amount: '9.4' })).toMatchObject({ status: 200 });
});

it('two reports and a payment at once neither return nor pay a payout twice', async () => {
  const batch = await exportBatch(3);
  const replies = await Promise.all([
    report(batch, { group: 'PART', payments: { 0: ['RJCT', 'AC04'] } }),
    report(batch, { group: 'PART', payments: { 0: ['RJCT', 'AC04'] } }),
    client.post(address(batch.id, '/pay')),
    client.post(address(batch.id, '/abandon')),
  ]);
  for (const { status } of replies) expect([200, 409, 422]).toContain(status);
  await expectSound();
});

it('cut at any moment, an answer, an abandonment and a payment happen whole or not at all', {
  tags: ['slow'],
  timeout: 600_000,
}, async () => {
  const cut = async (ms: number) => {
    await delay(ms);
    await sql`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE usename = 'regie_app' AND datname = current_database()`.execute(app.owner);
  };
  /** Until it is done: what was cut is repeated, as a person would. */
  const insist = async (step: () => Promise<{ status: number }>, round: number, isDone: () => Promise<boolean>) => {
    for (let attempt = 0; attempt < 10; attempt += 1) {
      await Promise.all([step(), attempt < 3 ? cut(round * 3 + attempt * 7) : undefined]);
      // The pool notices each dead connection by a failed call.
      for (let sound = 0; sound < 5; )
        sound = (await client.get('/api/payouts/batches')).status === 200 ? sound + 1 : 0;
      if (await isDone()) return;
      expect(await verifyLedger(app.owner, app.deps.lines)).toEqual([]);
    }
    throw new Error('the step was never done');
  };
  for (let round = 0; round < deepCount(60, 20); round += 1) {
    const partly = await exportBatch(3);
    const xml = write(partly, { group: 'PART', payments: { 1: ['RJCT', 'AC04'] }, counts: { ACSC: 2, RJCT: 1 } });
    const rejected = async () => (await detail(partly.id)).bank.looseIds.includes(partly.payouts[1] ?? 0);
    await insist(() => send(partly.id, xml), round, rejected);
    const isPaid = async () => (await detail(partly.id)).state === 'paid';
    await insist(() => client.post(address(partly.id, '/pay')), round, isPaid);

    const refused = await exportBatch(2);
    await report(refused, { group: 'RJCT' });
    const isProposed = async () => (await detail(refused.id)).bank.proposal !== null;
    await insist(() => client.post(address(refused.id, '/abandon')), round, isProposed);
    const id = (await detail(refused.id)).bank.proposal?.id ?? 0;
    const [first = client, second = client] = signers;
    await signAsShown(first, 'proposal', id);
    const isVoid = async () => (await detail(refused.id)).state === 'void';
    await insist(() => signAsShown(second, 'proposal', id), round, isVoid);
    expect((await detail(refused.id)).bank.looseIds).toEqual(refused.payouts);
  }
  await expectSound();
});
