import { createHash } from 'node:crypto';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { messages } from '@regie/contract/messages.ts';
import type {
  Consequence,
  Differences,
  PresetRow,
  Statement,
  StatementDetail,
  StatementHead,
  StatementUpload,
} from '@regie/contract/routes/statements.ts';
import { statementChunkBytes, statementMessages } from '@regie/contract/statements.ts';
import { monthToMs } from '@regie/values/month.ts';
import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { refreshAnalytics } from '#src/modules/income/analytics/refresh.service.ts';
import { type Reply, type TestClient, useApp } from '#test/app.ts';
import { checkAsShown, postMonthAsShown } from '#test/as-shown.ts';
import { buildAccount, buildTrack, setRate } from '#test/factories.ts';
import { readLines } from '#test/lines.ts';
import { workbookOf, zipOf } from '#test/statement-files.ts';
import { distrokidFile, type StatementRow } from '#test/statements.ts';
import { kind } from './statement-upload.service.ts';
import { resumeStatements } from './statements.jobs.ts';

const app = useApp();
let staff: TestClient & { admin: { id: number } };
let reader: TestClient;
let names = 0;
const newName = () => `releve-${++names}.tsv`;
/** What a preset of these tests does not need. */
const plainPreset = {
  optional: [],
  signature: [],
  absent: [],
  monthForms: ['YYYY-MM'],
  decimalMark: ',',
  kinds: {},
  skip: [],
  footers: [],
};

beforeAll(async () => {
  staff = await app.signInWith(['read_reports', 'edit_reports']);
  reader = await app.signInWith(['read_reports']);
  await app.owner.deleteFrom('exchangeRates').execute();
  await setRate(app.db, 'USD', '2024-01', 1.25);
});

const begin = async (fileName: string, sizeBytes: number, replaces?: number) =>
  (await staff.post('/api/reporting/statements/uploads', { fileName, sizeBytes, replaces })).data as StatementUpload;
const send = (id: number, start: number, bytes: Buffer, headers: Record<string, string> = {}) =>
  staff.upload(
    `/api/reporting/statements/uploads/${id}`,
    { field: 'chunk', fileName: 'chunk', bytes },
    { 'x-file-start': String(start), ...headers },
  );

/** Sends a file in chunks; returns the last response. */
async function upload(
  bytes: Buffer,
  options: { fileName?: string; pieceBytes?: number; replaces?: number } = {},
): Promise<Reply> {
  const { id } = await begin(options.fileName ?? newName(), bytes.length, options.replaces);
  const piece = options.pieceBytes ?? statementChunkBytes;
  let reply: Reply | undefined;
  for (let start = 0; start < bytes.length; start += piece)
    reply = await send(id, start, bytes.subarray(start, start + piece));
  if (!reply) throw new Error('an empty file cannot be uploaded');
  return reply;
}

let isrcs = 0;
const someIsrc = () => `FRZ9925${String(++isrcs).padStart(5, '0')}`;
const fileOf = (rows: readonly StatementRow[]) => Buffer.from(distrokidFile(rows));
/** Uploads rows and loads them. */
async function load(
  rows: readonly StatementRow[],
  options: { fileName?: string; replaces?: number } = {},
): Promise<number> {
  const reply = await upload(fileOf(rows), options);
  expect(reply.status).toBe(200);
  await app.runJobs();
  const { statementId } = reply.data as StatementUpload;
  return statementId ?? 0;
}
const get = async (id: number) => (await staff.get(`/api/reporting/statements/${id}`)).data as StatementDetail;

describe('an upload', () => {
  it('becomes a loaded statement with its file unchanged', async () => {
    const bytes = fileOf([
      { isrc: someIsrc(), amount: '1.5' },
      { isrc: someIsrc(), amount: '0.00000000001' },
    ]);
    const fileName = newName();
    const reply = await upload(bytes, { fileName, pieceBytes: 100 });
    expect(reply).toMatchObject({ status: 200, message: 'Le relevé est reçu' });
    const { statementId } = reply.data as StatementUpload;
    const id = statementId ?? 0;
    expect(await get(id)).toMatchObject({ status: 'received', fileName, sizeBytes: bytes.length, amountEur: null });
    await app.runJobs();
    expect(await get(id)).toMatchObject({
      status: 'loaded',
      source: 'DistroKid',
      preset: { isVerified: true },
      rows: 2,
      countedRows: 2,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      months: [
        { month: monthToMs('2025-01'), currency: 'USD', amount: '1.50000000001', rate: 1.25, isTooEarly: false },
      ],
      createdBy: expect.stringContaining('Camille'),
    });
    const file = await reader.get(`/api/reporting/statements/${id}/file`);
    expect(file.bytes.equals(bytes)).toBe(true);
    expect(file.headers['content-disposition']).toContain(fileName);
    const [row] = await app.db.selectFrom('uploads').select('id').where('fileName', '=', fileName).execute();
    expect(row).toBeUndefined();
    expect((await app.journal('statement.upload')).at(-1)).toMatchObject({
      adminId: staff.admin.id,
      entityId: String(id),
      after: { fileName, sizeBytes: bytes.length },
    });
  });

  it('resumes at the position the server reports', async () => {
    const bytes = fileOf([{ isrc: someIsrc(), amount: '2' }]);
    const fileName = newName();
    const { id } = await begin(fileName, bytes.length);
    expect(await send(id, 0, bytes.subarray(0, 50))).toMatchObject({
      status: 200,
      data: { received: 50, statementId: null },
    });
    // The response was lost: the repeated chunk gets the next position.
    expect(await send(id, 0, bytes.subarray(0, 50))).toMatchObject({ status: 409, data: { received: 50 } });
    expect(await send(id, 70, bytes.subarray(70, 80))).toMatchObject({ status: 409, data: { received: 50 } });
    expect(await begin(fileName, bytes.length)).toMatchObject({ id, received: 50, size: bytes.length });
    expect(await send(id, 50, Buffer.concat([bytes.subarray(50), Buffer.from('x')]))).toMatchObject({ status: 422 });
    expect(await send(id, 50, Buffer.alloc(0))).toMatchObject({ status: 422 });
    const last = { 'idempotency-key': `last-${fileName}` };
    const done = await send(id, 50, bytes.subarray(50), last);
    expect(done).toMatchObject({ status: 200, data: { received: bytes.length } });
    const again = await send(id, 50, bytes.subarray(50), last);
    expect(again).toMatchObject({ status: 200, data: done.data });
    expect(again.headers['idempotency-replayed']).toBe('true');
  });

  it('is hashed again after a restart, and starts over when its file is missing', { tags: ['slow'] }, async () => {
    const bytes = fileOf([{ isrc: someIsrc(), amount: '3' }]);
    const fileName = newName();
    const { id } = await begin(fileName, bytes.length);
    await send(id, 0, bytes.subarray(0, 50));
    const { spoolName } = await app.db
      .selectFrom('uploads')
      .select('spoolName')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    await rm(join(app.deps.uploadsDir, spoolName));
    expect(await begin(fileName, bytes.length)).toMatchObject({ id, received: 0 });
    expect(await send(id, 50, bytes.subarray(50))).toMatchObject({ status: 409, data: { received: 0 } });
    await send(id, 0, bytes.subarray(0, 50));
    kind.listeners.discard(spoolName);
    const reply = await send(id, 50, bytes.subarray(50));
    const { statementId } = reply.data as StatementUpload;
    expect((await get(statementId ?? 0)).sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('waits while the disk is full, and resumes once there is space', async () => {
    const bytes = fileOf([{ isrc: someIsrc(), amount: '6' }]);
    const { id } = await begin(newName(), bytes.length);
    const { spoolName } = await app.db
      .selectFrom('uploads')
      .select('spoolName')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    await mkdir(app.deps.uploadsDir, { recursive: true });
    const path = join(app.deps.uploadsDir, spoolName);
    // /dev/full fails each write like a full disk.
    await symlink('/dev/full', path);
    expect(await send(id, 0, bytes.subarray(0, 50))).toMatchObject({
      status: 503,
      code: 'unavailable',
      message: expect.stringContaining('plus de place sur le disque'),
    });
    await rm(path);
    await send(id, 0, bytes.subarray(0, 50));
    const reply = await send(id, 50, bytes.subarray(50));
    const { statementId } = reply.data as StatementUpload;
    expect((await get(statementId ?? 0)).sha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  });

  it('of the same bytes is refused with the name of the first file', async () => {
    const bytes = fileOf([{ isrc: someIsrc(), amount: '4' }]);
    const first = await upload(bytes, { fileName: 'premier.tsv' });
    const second = await upload(bytes, { fileName: 'second.tsv' });
    expect(second).toMatchObject({ status: 409, data: { statementId: (first.data as StatementUpload).statementId } });
    expect(second.message).toMatch(
      /^Ce fichier a déjà été déposé\u00a0: «\u00a0premier\.tsv\u00a0», le \d\d\/\d\d\/\d{4} par Camille/,
    );
    expect(await app.db.selectFrom('uploads').select('id').where('fileName', '=', 'second.tsv').execute()).toEqual([]);
  });

  it('can be cancelled only by the admin who started it', async () => {
    const { id } = await begin(newName(), 1000);
    const other = await app.signInWith(['edit_reports']);
    expect(await other.delete(`/api/reporting/statements/uploads/${id}`)).toMatchObject({ status: 404 });
    expect(await staff.delete(`/api/reporting/statements/uploads/${id}`)).toMatchObject({
      status: 200,
      message: 'L’envoi est annulé',
    });
    expect(await send(id, 0, Buffer.alloc(10))).toMatchObject({ status: 404 });
  });

  it('requires the capability, a name and a size', async () => {
    expect(await reader.post('/api/reporting/statements/uploads', { fileName: 'a.csv', sizeBytes: 1 })).toMatchObject({
      status: 403,
    });
    expect(await staff.post('/api/reporting/statements/uploads', { fileName: 'a/b.csv', sizeBytes: 0 })).toMatchObject({
      status: 422,
      errors: { fileName: 'Le nom du fichier n’est pas valide', sizeBytes: 'Ce fichier est vide' },
    });
    expect(
      await staff.post('/api/reporting/statements/uploads', { fileName: 'a.csv', sizeBytes: 6 * 1024 ** 3 }),
    ).toMatchObject({ status: 422 });
    expect(
      await staff.post('/api/reporting/statements/uploads', { fileName: 'a.csv', sizeBytes: 5, replaces: 999_999 }),
    ).toMatchObject({
      status: 422,
    });
  });
});

describe('loading', () => {
  it('names the line that is refused', { tags: ['slow'] }, async () => {
    const id = await load([
      { isrc: someIsrc(), amount: '1' },
      { isrc: someIsrc(), amount: 'douze' },
    ]);
    expect(await get(id)).toMatchObject({
      status: 'refused',
      problem: { line: 3, message: '«\u00a0douze\u00a0» n’est pas un montant' },
      // Shows the refusing preset, which staff can correct when it is custom.
      preset: { name: expect.stringContaining('DistroKid') },
    });
  });

  it('warns when the last amount has no line end and may be truncated', { tags: ['slow'] }, async () => {
    const whole = fileOf([{ isrc: someIsrc(), amount: '12.3456' }]);
    const cut = Buffer.from(whole.toString().trimEnd().slice(0, -1));
    for (const [bytes, mayBeCutAt] of [
      [whole, null],
      [cut, 2],
    ] as const) {
      const { statementId } = (await upload(bytes)).data as StatementUpload;
      await app.runJobs();
      expect(await get(statementId ?? 0)).toMatchObject({ status: 'loaded', mayBeCutAt });
    }
  });

  it('returns from the chosen charset and sheets to the detected ones', { tags: ['slow'] }, async () => {
    const bytes = Buffer.from(fileOf([{ isrc: someIsrc(), amount: '1', title: 'Été' }]).toString('utf8'), 'latin1');
    const reply = await upload(bytes);
    const id = (reply.data as StatementUpload).statementId ?? 0;
    await app.runJobs();
    const read = (body: object) => staff.post(`/api/reporting/statements/${id}/preset`, { preset: null, ...body });
    const lines = async () =>
      (await reader.get(`/api/reporting/statements/${id}/lines?from=2`)).data as { text: string }[];
    expect(await read({ charset: 'windows-1251', sheets: ['Ventes'] })).toMatchObject({ status: 200 });
    expect((await lines())[0]?.text).toContain('Йtй');
    await app.runJobs();
    expect((await get(id)).choices).toMatchObject({ charset: 'windows-1251', sheets: ['Ventes'] });
    expect(await read({ decimalMark: ',' })).toMatchObject({ status: 200 });
    await app.runJobs();
    expect(await get(id)).toMatchObject({ choices: { charset: 'windows-1251', decimalMark: ',' } });
    expect(await read({ decimalMark: null })).toMatchObject({ status: 200 });
    await app.runJobs();
    expect((await get(id)).choices).toMatchObject({ charset: 'windows-1251', decimalMark: null });
    // Absent values stay; null resets them.
    expect(await read({ charset: null, sheets: null })).toMatchObject({ status: 200 });
    await app.runJobs();
    expect(await get(id)).toMatchObject({ status: 'loaded', choices: { charset: null, sheets: null } });
    expect((await lines())[0]?.text).toContain('Été');
    const cells = (await reader.get(`/api/reporting/statements/${id}/lines/2`)).data;
    expect(cells).toEqual(expect.arrayContaining([{ name: 'Title', value: 'Été' }]));
  });

  it('of an archive shows the number of its statements, also in the list', { tags: ['slow'] }, async () => {
    const [one, two] = [1, 2].map((amount) => fileOf([{ isrc: someIsrc(), amount: `${amount}` }]));
    const fileName = `archive-${newName()}.zip`;
    const zip = zipOf([
      { name: 'mars.tsv', content: one ?? '' },
      { name: 'avril.tsv', content: two ?? '' },
      { name: 'lisez-moi.csv', content: 'a;b\n1;2\n' },
    ]);
    const reply = await upload(zip, { fileName });
    const id = (reply.data as StatementUpload).statementId ?? 0;
    await app.runJobs();
    const [row] = (await reader.get(`/api/reporting/statements?q=${fileName}`)).data as Statement[];
    expect(row).toMatchObject({ status: 'unpacked', memberCount: 2 });
    const { members, leftOut } = await get(id);
    expect(members.map((member) => member.fileName)).toEqual(['avril.tsv', 'mars.tsv']);
    expect(leftOut).toEqual([{ name: 'lisez-moi.csv', reason: expect.any(String), canRead: true }]);
    expect(await reader.post(`/api/reporting/statements/${id}/members`, { name: 'lisez-moi.csv' })).toMatchObject({
      status: 403,
    });
    expect(await staff.post(`/api/reporting/statements/${id}/members`, { name: 'autre.csv' })).toMatchObject({
      status: 409,
    });
    await staff.post(`/api/reporting/statements/${id}/members`, { name: 'lisez-moi.csv' });
    await app.runJobs();
    expect(await get(id)).toMatchObject({ status: 'unpacked', memberCount: 3, leftOut: [] });
    expect((await get(members[0]?.id ?? 0)).unpackedFrom).toMatchObject({ id, status: 'unpacked' });
  });

  it('an unknown file waits for a preset, which is created from its first rows and stored', {
    tags: ['slow'],
  }, async () => {
    const isrc = someIsrc();
    const bytes = Buffer.from(
      `Code piste;Mois;Gain;Boutique\n${isrc};2025-02;1,25;Chez nous\n${isrc};2025-02;2,5;Ailleurs\n`,
    );
    const reply = await upload(bytes);
    const id = (reply.data as StatementUpload).statementId ?? 0;
    await app.runJobs();
    const unknown = await get(id);
    expect(unknown.status).toBe('unrecognised');
    expect(unknown.head?.rows.slice(0, 2)).toEqual([
      { line: 1, cells: ['Code piste', 'Mois', 'Gain', 'Boutique'] },
      { line: 2, cells: [isrc, '2025-02', '1,25', 'Chez nous'] },
    ]);
    const form = {
      source: 'Chez nous',
      name: 'Chez nous, relevé mensuel',
      columns: { isrc: ['Code piste'], month: ['Mois'], amount: ['Gain'], store: ['Boutique'] },
      ...plainPreset,
    };
    expect(await staff.post('/api/reporting/presets', { ...form, columns: { isrc: ['Code piste'] } })).toMatchObject({
      status: 422,
      errors: { 'columns.amount': 'Indiquez la colonne du montant' },
    });
    const periods = { ...form, columns: { ...form.columns, month: undefined, periodEnd: ['Mois'] } };
    expect(await staff.post('/api/reporting/presets', periods)).toMatchObject({
      status: 422,
      errors: { 'columns.periodEnd': expect.stringContaining('va avec son début') },
    });
    const told = { ...form, preamble: { periodEnd: ['Fin'] } };
    expect(await staff.post('/api/reporting/presets', told)).toMatchObject({
      status: 422,
      errors: { 'preamble.periodEnd': expect.stringContaining('va avec son début') },
    });
    expect(await reader.post('/api/reporting/presets', form)).toMatchObject({ status: 403 });
    const made = await staff.post('/api/reporting/presets', form);
    const { key } = made.data as { key: string };
    expect(made).toMatchObject({ status: 200, message: 'Le modèle est enregistré' });
    expect((await app.journal('statement_preset.create')).at(-1)).toMatchObject({ after: { source: 'Chez nous' } });
    expect(await staff.post(`/api/reporting/statements/${id}/preset`, { preset: 'custom:999' })).toMatchObject({
      status: 422,
    });
    expect(await staff.post(`/api/reporting/statements/${id}/preset`, { preset: key })).toMatchObject({
      status: 200,
      data: { status: 'received' },
    });
    await app.runJobs();
    // The file names no currency: it is entered per file, not stored in the preset.
    expect(await get(id)).toMatchObject({ status: 'ambiguous', head: { fitting: [{ key, needsCurrency: true }] } });
    expect(await staff.post(`/api/reporting/statements/${id}/preset`, { preset: key })).toMatchObject({
      status: 422,
      errors: { currency: 'Indiquez la devise de ce fichier' },
    });
    await staff.post(`/api/reporting/statements/${id}/preset`, { preset: key, currency: 'EUR' });
    await app.runJobs();
    expect(await get(id)).toMatchObject({
      status: 'loaded',
      source: 'Chez nous',
      choices: { currency: 'EUR' },
      preset: { key, name: 'Chez nous, relevé mensuel', isVerified: true },
      months: [{ currency: 'EUR', amount: '3.75', amountEur: 3.75, rate: 1 }],
    });
    expect((await app.journal('statement.read_with')).at(-1)).toMatchObject({
      entityId: String(id),
      after: { preset: key, currency: 'EUR' },
    });
    // The next file of this form asks too, with the last currency first.
    const next = await upload(Buffer.from(`Code piste;Mois;Gain;Boutique\n${isrc};2025-03;7,25;Chez nous\n`));
    const nextId = (next.data as StatementUpload).statementId ?? 0;
    await app.runJobs();
    expect(await get(nextId)).toMatchObject({
      status: 'ambiguous',
      head: { fitting: [{ key, needsCurrency: true, currencies: ['EUR'], lastCurrency: 'EUR' }] },
    });
    await staff.post(`/api/reporting/statements/${nextId}/preset`, { preset: key, currency: 'CHF' });
    await app.runJobs();
    expect(await get(nextId)).toMatchObject({ status: 'loaded', months: [{ currency: 'CHF', amount: '7.25' }] });
    // A loaded statement can be read again with the other currency.
    await staff.post(`/api/reporting/statements/${nextId}/preset`, { preset: key, currency: 'EUR' });
    await app.runJobs();
    expect(await get(nextId)).toMatchObject({
      status: 'loaded',
      rows: 1,
      lines: 1,
      months: [{ currency: 'EUR', amount: '7.25' }],
    });

    const list = (await reader.get('/api/reporting/presets')).data as PresetRow[];
    const own = list.find((preset) => preset.key === key);
    expect(own).toMatchObject({ id: expect.any(Number), isVerified: true, layout: 'table' });
    expect(list.some((preset) => preset.id === null && !preset.isVerified)).toBe(true);
    expect(await reader.delete(`/api/reporting/presets/${own?.id}`)).toMatchObject({ status: 403 });
    expect(await staff.delete(`/api/reporting/presets/${own?.id}`)).toMatchObject({ status: 200 });
    expect(await staff.delete(`/api/reporting/presets/${own?.id}`)).toMatchObject({ status: 404 });
    expect((await app.journal('statement_preset.delete')).at(-1)).toMatchObject({ before: { source: 'Chez nous' } });
    // Statements keep the name of their deleted preset.
    expect((await get(id)).preset?.name).toBe('Chez nous, relevé mensuel');
  });

  it('a file without a header uses positions once staff has set them', { tags: ['slow'] }, async () => {
    const isrc = someIsrc();
    const fileOfSales = (amount: string) =>
      Buffer.from(`T;2;EUR;${amount}\n${isrc};2025-02;${amount}\n${isrc};2025-02;0,25\n`);
    const send = async (bytes: Buffer) => {
      const id = ((await upload(bytes)).data as StatementUpload).statementId ?? 0;
      await app.runJobs();
      return id;
    };
    const first = await send(fileOfSales('1,5'));
    expect(await get(first)).toMatchObject({
      status: 'unrecognised',
      head: { rows: [{}, { cells: [isrc, '2025-02', '1,5'] }, {}] },
    });
    const form = {
      source: 'Sans en-tête',
      name: 'Sans en-tête, mensuel',
      width: 3,
      columns: { isrc: ['Colonne 1'], month: ['Colonne 2'], amount: ['Colonne 3'] },
      ...plainPreset,
      skip: [{ column: 'Colonne 1', words: ['T'], reason: 'Ligne de total' }],
      footers: [],
    };
    expect(
      await staff.post('/api/reporting/presets', { ...form, columns: { ...form.columns, amount: ['Colonne 4'] } }),
    ).toMatchObject({ status: 422, errors: { width: expect.stringContaining('Colonne 1') } });
    const { key } = (await staff.post('/api/reporting/presets', form)).data as { key: string };
    expect(
      await staff.post(`/api/reporting/statements/${first}/preset`, { preset: key, currency: 'EUR' }),
    ).toMatchObject({
      status: 200,
    });
    await app.runJobs();
    expect(await get(first)).toMatchObject({
      status: 'loaded',
      skipped: [{ reason: 'Ligne de total', rows: 1 }],
      months: [{ currency: 'EUR', amount: '1.75' }],
    });
    // The next such file asks again.
    const second = await send(fileOfSales('2,5'));
    expect(await get(second)).toMatchObject({
      status: 'ambiguous',
      head: { fitting: [{ key, needsMonth: false, needsCurrency: true, currencies: ['EUR'] }] },
    });
    // A corrected preset replaces the former one.
    const id = Number(key.split(':')[1]);
    const mended = { ...form, name: 'Sans en-tête, en francs', replaces: id };
    const other = (await staff.post('/api/reporting/presets', mended)).data as { key: string };
    const list = (await reader.get('/api/reporting/presets')).data as PresetRow[];
    expect(list.map((preset) => preset.key)).not.toContain(key);
    expect(list.find((preset) => preset.key === other.key)).toMatchObject({ isVerified: false });
    expect(await staff.post('/api/reporting/presets', mended)).toMatchObject({ status: 404 });
    await staff.post(`/api/reporting/statements/${second}/preset`, { preset: other.key, currency: 'CHF' });
    await app.runJobs();
    expect(await get(second)).toMatchObject({ status: 'loaded', months: [{ currency: 'CHF', amount: '2.75' }] });
    await staff.delete(`/api/reporting/presets/${other.key.split(':')[1]}`);
  });

  it('the deduction of a source is subtracted before the declared amount is compared', { tags: ['slow'] }, async () => {
    const [one, other] = [someIsrc(), someIsrc()];
    const form = {
      ...plainPreset,
      source: 'Retenue',
      name: 'Retenue, mensuel',
      columns: { isrc: ['Code'], month: ['Mois'], amount: ['Dû (USD)'] },
      currency: 'USD',
      deduction: '1.5',
      skip: [{ column: 'Code', when: 'empty', reason: 'Sans titre' }],
    };
    expect(await staff.post('/api/reporting/presets', { ...form, deduction: '100' })).toMatchObject({
      status: 422,
      errors: { deduction: statementMessages.presetDeduction },
    });
    const { key } = (await staff.post('/api/reporting/presets', form)).data as { key: string };
    const file = `Code;Mois;Dû (USD)\n${one};2025-02;0,0000000001\n${other};2025-02;10,01\n;au total;10,01\n`;
    const id = ((await upload(Buffer.from(file))).data as StatementUpload).statementId ?? 0;
    await app.runJobs();
    expect(await get(id)).toMatchObject({
      status: 'loaded',
      preset: { key },
      deduction: '1.5',
      declaredDeduction: null,
    });
    const declare = (declaredAmount: string) =>
      staff.put(`/api/reporting/statements/${id}`, { accountingMonth: null, declaredAmount, declaredCurrency: 'USD' });
    await declare('9,8598500000985');
    expect(await get(id)).toMatchObject({
      skipped: [{ reason: 'Sans titre', rows: 1 }],
      declaredSum: '10.0100000001',
      declaredDeduction: '0.1501500000015',
      declaredDifference: '0',
    });
    await declare('10,01');
    expect(await get(id)).toMatchObject({ declaredDifference: '-0.1501499999015' });
    await staff.delete(`/api/reporting/statements/${id}`);
    await staff.delete(`/api/reporting/presets/${key.split(':')[1]}`);
  });

  it('an ambiguous title waits for a choice of charset', { tags: ['slow'] }, async () => {
    const month = monthToMs('2024-05');
    // アイドル in Shift-JIS.
    const title = Buffer.from([0x83, 0x41, 0x83, 0x43, 0x83, 0x68, 0x83, 0x8b]);
    const before = `isrc,title,streams,incomeofstreams\n${someIsrc()},`;
    const bytes = Buffer.concat([Buffer.from(before), title, Buffer.from(',10,2.5\n')]);
    const id = ((await upload(bytes, { fileName: 'regie.csv' })).data as StatementUpload).statementId ?? 0;
    await app.runJobs();
    const waiting = await get(id);
    expect(waiting).toMatchObject({ status: 'ambiguous', problem: null });
    expect(waiting.head?.charsets).toContainEqual({ charset: 'shift_jis', sample: 'アイドル' });
    const told = { preset: waiting.head?.fitting[0]?.key, month };
    expect(await staff.post(`/api/reporting/statements/${id}/preset`, told)).toMatchObject({
      status: 422,
      errors: { charset: statementMessages.charsetRequired },
    });
    await staff.post(`/api/reporting/statements/${id}/preset`, { ...told, charset: 'shift_jis' });
    await app.runJobs();
    expect(await get(id)).toMatchObject({ status: 'loaded', choices: { charset: 'shift_jis' }, head: null });
  });

  it('a file without a month waits for a choice of month', { tags: ['slow'] }, async () => {
    const bytes = Buffer.from(`isrc,streams,incomeofstreams\n${someIsrc()},10,2.5\n`);
    const reply = await upload(bytes, { fileName: 'regie.csv' });
    const id = (reply.data as StatementUpload).statementId ?? 0;
    await app.runJobs();
    const waiting = await get(id);
    expect(waiting).toMatchObject({ status: 'ambiguous', head: { fitting: [{ needsMonth: true }] } });
    const preset = waiting.head?.fitting[0]?.key;
    expect(await staff.post(`/api/reporting/statements/${id}/preset`, { preset })).toMatchObject({
      status: 422,
      errors: { month: 'Indiquez le mois de ce fichier' },
    });
    // Without a preset, no choice is known to be missing: the file is inspected again.
    expect(await staff.post(`/api/reporting/statements/${id}/preset`, { preset: null })).toMatchObject({ status: 200 });
    await app.runJobs();
    expect(await get(id)).toMatchObject({ status: 'ambiguous', head: { fitting: [{ needsMonth: true }] } });
    const month = monthToMs('2024-05');
    expect(await staff.post(`/api/reporting/statements/${id}/preset`, { preset, month })).toMatchObject({
      status: 200,
    });
    await app.runJobs();
    expect(await get(id)).toMatchObject({
      status: 'loaded',
      accountingMonth: month,
      months: [{ month, currency: 'USD', amount: '2.5', amountEur: 2 }],
    });
  });

  it('that fails for a reason outside the file shows it, and is retried at growing intervals', {
    tags: ['slow'],
  }, async () => {
    const reply = await upload(fileOf([{ isrc: someIsrc(), amount: '5' }]));
    const id = (reply.data as StatementUpload).statementId ?? 0;
    const { storageKey } = await app.db
      .selectFrom('files as f')
      .innerJoin('statements as s', 's.fileId', 'f.id')
      .select('storageKey')
      .where('s.id', '=', id)
      .executeTakeFirstOrThrow();
    const bytes = await staff.get(`/api/reporting/statements/${id}/file`);
    await app.deps.storage.remove(storageKey);
    await app.runJobs();
    expect(await get(id)).toMatchObject({
      status: 'reading',
      problem: {
        message: 'Le fichier du relevé est introuvable dans le stockage\u00a0: la lecture sera tentée de nouveau',
      },
    });
    await app.deps.storage.put(storageKey, bytes.bytes, bytes.bytes.length);
    const jobDeps = { db: app.owner, log: app.deps.log };
    expect(await resumeStatements(jobDeps, new Date(Date.now() + 40_000))).not.toContain(id);
    expect(await resumeStatements(jobDeps, new Date(Date.now() + 70_000))).toContain(id);
    await app.runJobs();
    expect(await get(id)).toMatchObject({ status: 'loaded', problem: null });
  });
});

describe('the list', () => {
  it('finds statements by name, source, state and month', async () => {
    const id = await load(
      [
        { isrc: someIsrc(), amount: '8', month: '2023-05' },
        { isrc: someIsrc(), amount: '2', month: '2024-06' },
      ],
      { fileName: 'Été à chercher.tsv' },
    );
    const list = async (query: string) =>
      ((await reader.get(`/api/reporting/statements?${query}`)).data as Statement[]).map((row) => row.id);
    expect(await list('q=ete%20a%20cher')).toEqual([id]);
    expect(await list(`month=${monthToMs('2024-06')}`)).toEqual([id]);
    expect(await list(`month=${monthToMs('2024-07')}`)).toEqual([]);
    expect(await list('source=DistroKid&status=loaded')).toContain(id);
    expect(await list('source=TuneCore')).toEqual([]);
    expect((await reader.get('/api/reporting/statements/sources')).data).toContain('DistroKid');
    const [row] = (await reader.get('/api/reporting/statements?q=ete%20a%20cher')).data as Statement[];
    expect(row).toMatchObject({
      firstMonth: monthToMs('2023-05'),
      lastMonth: monthToMs('2024-06'),
      amountEur: null,
      preset: { name: expect.stringContaining('DistroKid') },
    });
    const { meta } = await reader.get('/api/reporting/statements?limit=1');
    expect(meta?.nextCursor).not.toBeNull();
  });

  it('adds up what its rows show: euros, and the currencies of statements without a rate', async () => {
    const named = (rows: StatementRow[]) => load(rows, { fileName: `À totaliser ${newName()}` });
    await named([
      { isrc: someIsrc(), amount: '12.5', month: '2024-02' },
      { isrc: someIsrc(), amount: '0.00000125', month: '2024-03' },
    ]);
    await named([{ isrc: someIsrc(), amount: '-2.5', month: '2024-02' }]);
    await named([
      { isrc: someIsrc(), amount: '8', month: '2023-05' },
      { isrc: someIsrc(), amount: '2', month: '2024-06' },
    ]);
    const { meta } = await reader.get('/api/reporting/statements?q=a%20totaliser&limit=1');
    expect(meta).toMatchObject({
      total: 3,
      sums: [
        { currency: 'EUR', amount: 8.000001 },
        { currency: 'USD', amount: 10 },
      ],
    });
  });
});

describe('checking', () => {
  it('requires a rate for every currency and month', { tags: ['slow'] }, async () => {
    const id = await load([{ isrc: someIsrc(), amount: '8', month: '2023-11' }]);
    expect(await checkAsShown(staff, `/api/reporting/statements/${id}`, { confirmRates: true })).toMatchObject({
      status: 422,
      message: 'Aucun taux de change USD pour nov. 2023\u00a0: ajoutez-le dans Comptabilité → Taux de change',
    });
    // The list gives its amount in its currency.
    const listed = await staff.get(`/api/reporting/statements?month=${monthToMs('2023-11')}`);
    expect((listed.data as Statement[]).find((statement) => statement.id === id)).toMatchObject({
      amountEur: null,
      amounts: [{ currency: 'USD', amount: 8 }],
    });
    expect(
      await staff.put(`/api/reporting/statements/${id}`, {
        accountingMonth: monthToMs('2024-01'),
        declaredAmount: null,
        declaredCurrency: null,
      }),
    ).toMatchObject({ status: 200 });
    expect(await checkAsShown(staff, `/api/reporting/statements/${id}`, { confirmRates: true })).toMatchObject({
      status: 200,
      data: { status: 'checked' },
    });
    expect(await get(id)).toMatchObject({
      months: [{ month: monthToMs('2024-01'), rateMonth: monthToMs('2024-01'), amountEur: 6.4 }],
    });
  });

  it('refuses months before January 2020', async () => {
    const id = await load([{ isrc: someIsrc(), amount: '8', month: '2019-12' }]);
    expect(await checkAsShown(staff, `/api/reporting/statements/${id}`, { confirmRates: true })).toMatchObject({
      status: 422,
      errors: { accountingMonth: expect.stringContaining('2020') },
    });
    expect((await get(id)).months[0]).toMatchObject({ isTooEarly: true });
  });

  it('compares exactly with the declared amount, and requires a note when it differs', { tags: ['slow'] }, async () => {
    const id = await load([
      { isrc: someIsrc(), amount: '10.0000000001', month: '2024-02' },
      { isrc: someIsrc(), amount: '-1', month: '2024-02' },
    ]);
    expect(await reader.put(`/api/reporting/statements/${id}`, {})).toMatchObject({ status: 403 });
    const facts = { accountingMonth: null, declaredAmount: '9,00', declaredCurrency: 'USD' };
    expect(await staff.put(`/api/reporting/statements/${id}`, { ...facts, declaredAmount: 'neuf' })).toMatchObject({
      status: 422,
    });
    expect(await staff.put(`/api/reporting/statements/${id}`, { ...facts, declaredCurrency: null })).toMatchObject({
      status: 422,
    });
    expect(await staff.put(`/api/reporting/statements/${id}`, facts)).toMatchObject({
      status: 200,
      message: 'Le relevé est enregistré',
    });
    expect((await app.journal('statement.edit')).at(-1)).toMatchObject({
      entityId: String(id),
      after: { declaredAmount: '9', declaredCurrency: 'USD' },
    });
    expect(await get(id)).toMatchObject({ declaredSum: '9.0000000001', declaredDifference: '0.0000000001' });
    expect(await checkAsShown(staff, `/api/reporting/statements/${id}`, { confirmRates: true })).toMatchObject({
      status: 422,
      errors: { note: expect.stringContaining('expliquez') },
    });
    expect(await checkAsShown(reader, `/api/reporting/statements/${id}`, { confirmRates: true })).toMatchObject({
      status: 403,
    });
    expect(
      await checkAsShown(staff, `/api/reporting/statements/${id}`, { note: 'Arrondi de la banque' }),
    ).toMatchObject({
      status: 200,
      message: 'Le relevé est validé',
    });
    expect((await app.journal('statement.check')).at(-1)).toMatchObject({
      entityId: String(id),
      after: { note: 'Arrondi de la banque', difference: '0.0000000001' },
    });
    expect(await get(id)).toMatchObject({
      status: 'checked',
      checkNote: 'Arrondi de la banque',
      checkedBy: expect.any(String),
    });
    expect(await checkAsShown(staff, `/api/reporting/statements/${id}`, { confirmRates: true })).toMatchObject({
      status: 409,
    });
    expect(await staff.put(`/api/reporting/statements/${id}`, facts)).toMatchObject({ status: 409 });
    expect(await reader.post(`/api/reporting/statements/${id}/uncheck`)).toMatchObject({ status: 403 });
    expect(await staff.post(`/api/reporting/statements/${id}/uncheck`)).toMatchObject({
      status: 200,
      data: { status: 'loaded' },
    });
    expect(await staff.post(`/api/reporting/statements/${id}/uncheck`)).toMatchObject({ status: 409 });
    expect((await app.journal('statement.uncheck')).at(-1)).toMatchObject({
      entityId: String(id),
      before: { note: 'Arrondi de la banque' },
    });
  });

  it('accepts only the version shown: not another month or a newer load', { tags: ['slow'] }, async () => {
    const id = await load([{ isrc: someIsrc(), amount: '5', month: '2024-02' }]);
    const url = `/api/reporting/statements/${id}`;
    const check = (body: object) => staff.post(`${url}/check`, { confirmRates: true, note: 'Lu', ...body });
    const changed = { status: 409, message: statementMessages.changed };
    const { version } = await get(id);
    const month = { accountingMonth: monthToMs('2024-03'), declaredAmount: null, declaredCurrency: null };
    expect((await staff.put(url, month)).status).toBe(200);
    expect(await check({ version })).toMatchObject(changed);
    const second = (await get(id)).version;
    expect((await staff.post(`${url}/preset`, { preset: null })).status).toBe(200);
    await app.runJobs();
    expect(await get(id)).toMatchObject({ status: 'loaded' });
    expect(await check({ version: second })).toMatchObject(changed);
    expect(await check({})).toMatchObject({ status: 422, errors: { version: messages.unseen('version') } });
    const last = await check({ version: (await get(id)).version });
    expect([last.status, last.errors]).toEqual([200, {}]);
  });

  it('compares a quarterly source with its previous statement, stored differences or not', {
    tags: ['slow'],
  }, async () => {
    const isrc = someIsrc();
    await load([{ isrc, amount: '5', month: '2027-04', title: 'Nuit' }]);
    const july = await load([{ isrc, amount: '8', month: '2027-07', title: 'Nuit' }]);
    const found = async () => (await reader.get(`/api/reporting/statements/${july}/differences`)).data as Differences;
    const expected = {
      month: monthToMs('2027-07'),
      formerMonth: monthToMs('2027-04'),
      tracks: [{ label: 'Nuit' }],
    };
    expect(await found()).toMatchObject(expected);
    await refreshAnalytics(app.owner);
    const { amountEur, formerEur, tracks } = (await found()) ?? { tracks: [] };
    expect([amountEur, formerEur]).toEqual([tracks[0]?.amountEur, tracks[0]?.formerEur]);
    expect(await found()).toMatchObject(expected);
  });

  it('shows differences from the previous month, and the stores that another statement also has', {
    tags: ['slow'],
  }, async () => {
    const [a, b] = [someIsrc(), someIsrc()];
    const one = await load([
      { isrc: a, amount: '5', month: '2022-03', store: 'Qobuz', country: 'FR' },
      { isrc: b, amount: '10', month: '2022-03', store: 'Tidal', country: 'BE' },
    ]);
    const two = await load([
      { isrc: a, amount: '15', month: '2022-04', store: 'Qobuz', country: 'FR', title: 'Nuit' },
      { isrc: a, amount: '1', month: '2022-03', store: 'Tidal', country: 'FR' },
    ]);
    await setRate(app.db, 'USD', '2022-01', 2);
    const found = (await reader.get(`/api/reporting/statements/${two}/differences`)).data as Differences;
    expect(found).toMatchObject({
      month: monthToMs('2022-04'),
      formerMonth: monthToMs('2022-03'),
      amountEur: 7.5,
      formerEur: 8,
      stores: [
        { label: 'Tidal', amountEur: 0, formerEur: 5.5, differenceEur: -5.5 },
        { label: 'Qobuz', amountEur: 7.5, formerEur: 2.5, differenceEur: 5 },
      ],
      countries: [
        { label: 'BE', amountEur: 0, formerEur: 5 },
        { label: 'FR', amountEur: 7.5, formerEur: 3 },
      ],
    });
    expect(found?.tracks).toHaveLength(2);
    expect((await get(two)).doubled).toEqual([
      {
        store: 'Tidal',
        month: monthToMs('2022-03'),
        statementId: one,
        fileName: expect.any(String),
        source: 'DistroKid',
      },
    ]);
  });
});

describe('the tracks with the largest differences', () => {
  it('equal those computed from the sums, stored or not, after every change', { tags: ['slow'] }, async () => {
    const account = await buildAccount(app.db);
    const [a, b, c] = [await buildTrack(app.db, account), await buildTrack(app.db, account), someIsrc()];
    const id = await load([
      { isrc: a.isrc, amount: '15.000000000001', month: '2021-06' },
      { isrc: b.isrc, amount: '4', month: '2021-06' },
      { isrc: c, amount: '1', month: '2021-06', title: 'Inconnue' },
    ]);
    const tracks = async (of = id) =>
      ((await reader.get(`/api/reporting/statements/${of}/differences`)).data as Differences)?.tracks.map(
        ({ label, trackId, amountEur, formerEur }) => ({ label, trackId, amountEur, formerEur }),
      );
    /** Checks while the month's totals are out of date, and after the update. */
    const atAllTimes = async (of = id) => {
      const now = await tracks(of);
      await app.owner.insertInto('analyticsMarks').values({ month: '2021-05-01' }).execute();
      expect(await tracks(of)).toEqual(now);
      await refreshAnalytics(app.owner);
      expect(await tracks(of)).toEqual(now);
      return now;
    };
    await setRate(app.db, 'USD', '2021-05', 2);
    const titleOf = async ({ id: trackId }: { id: number }) =>
      (await app.db.selectFrom('tracks').select('title').where('id', '=', trackId).executeTakeFirstOrThrow()).title;
    const [ofA, ofB] = [
      { label: await titleOf(a), trackId: a.id },
      { label: await titleOf(b), trackId: b.id },
    ];
    const ofC = { label: 'Inconnue', trackId: null };
    expect(await atAllTimes()).toEqual([
      { ...ofA, amountEur: 7.5, formerEur: 0 },
      { ...ofB, amountEur: 2, formerEur: 0 },
      { ...ofC, amountEur: 0.5, formerEur: 0 },
    ]);
    const former = await load([
      { isrc: a.isrc, amount: '15.000000000001', month: '2021-05' },
      { isrc: b.isrc, amount: '24', month: '2021-05' },
    ]);
    expect(await atAllTimes()).toEqual([
      { ...ofB, amountEur: 2, formerEur: 12 },
      { ...ofC, amountEur: 0.5, formerEur: 0 },
    ]);
    await app.owner.updateTable('incomeItems').set({ aliasTrackId: b.id }).where('key', '=', c).execute();
    await sql`SELECT match_items(ARRAY[${c}])`.execute(app.owner);
    expect(await atAllTimes()).toEqual([{ ...ofB, amountEur: 2.5, formerEur: 12 }]);
    await setRate(app.db, 'USD', '2021-05', 4);
    expect(await atAllTimes()).toEqual([{ ...ofB, amountEur: 1.25, formerEur: 6 }]);
    const correction = await load([{ isrc: a.isrc, amount: '8', month: '2021-06' }], { replaces: id });
    expect(await atAllTimes(correction)).toEqual([
      { ...ofB, amountEur: 0, formerEur: 6 },
      { ...ofA, amountEur: 2, formerEur: 3.75 },
    ]);
    expect(await tracks()).toEqual([
      { ...ofB, amountEur: 1.25, formerEur: 6 },
      { ...ofA, amountEur: 5.75, formerEur: 3.75 },
    ]);
    await staff.delete(`/api/reporting/statements/${former}`);
    expect(await atAllTimes(correction)).toEqual([{ ...ofA, amountEur: 2, formerEur: 0 }]);
    // Reads use the stored values.
    await app.owner.updateTable('trackDifferences').set({ found: '[]' }).where('month', '=', '2021-06-01').execute();
    expect(await tracks(correction)).toEqual([]);
  });
});

describe('a correction', () => {
  it('of a refused file replaces it at once', { tags: ['slow'] }, async () => {
    const track = await buildTrack(app.db, await buildAccount(app.db));
    const refused = await load([{ isrc: track.isrc, amount: 'douze', month: '2024-11' }]);
    expect((await get(refused)).status).toBe('refused');
    const blocked = (await staff.get('/api/reporting/statements?status=blocked')).data as { id: number }[];
    expect(blocked.map(({ id }) => id)).toContain(refused);
    const mended = await load([{ isrc: track.isrc, amount: '12', month: '2024-11' }], { replaces: refused });
    expect(await get(refused)).toMatchObject({ status: 'replaced', correctedBy: { id: mended } });
    expect((await app.journal('statement.replace')).at(-1)).toMatchObject({
      entityId: String(refused),
      before: { status: 'refused' },
      after: { status: 'replaced', by: mended },
    });
    expect(await checkAsShown(staff, `/api/reporting/statements/${mended}`, { confirmRates: true })).toMatchObject({
      status: 200,
    });
  });

  it('replaces the corrected statement once staff has confirmed the effects', { tags: ['slow'] }, async () => {
    const account = await buildAccount(app.db);
    const track = await buildTrack(app.db, account);
    const month = '2024-09';
    const former = await load([{ isrc: track.isrc, amount: '12.5', month }]);
    const correction = await load([{ isrc: track.isrc, amount: '25', month }], { replaces: former });
    expect(await get(former)).toMatchObject({ correctedBy: { id: correction } });
    expect(await get(correction)).toMatchObject({ replaces: { id: former, status: 'loaded' }, doubled: [] });
    // Both would be posted.
    expect(await checkAsShown(staff, `/api/reporting/statements/${correction}`, { confirmRates: true })).toMatchObject({
      status: 409,
      message: 'Ce relevé en corrige un autre, encore pris en compte\u00a0: remplacez d’abord l’ancien relevé',
    });
    await checkAsShown(staff, `/api/reporting/statements/${former}`, { confirmRates: true });
    expect(await postMonthAsShown(staff, { fromDate: monthToMs(month), confirmRates: true })).toMatchObject({
      status: 200,
    });
    expect(await get(former)).toMatchObject({ postedEur: 10, imports: [{ month: monthToMs(month) }] });
    expect(await staff.delete(`/api/reporting/statements/${former}`)).toMatchObject({ status: 409 });

    const dry = await staff.post(`/api/reporting/statements/${correction}/replace`, { dryRun: true });
    expect(dry.data).toMatchObject({ replaced: { id: former }, imports: 1, reports: 1, amountEur: expect.any(Number) });
    expect((dry.data as Consequence).amountEur).toBeGreaterThan(0);
    expect((await get(former)).status).toBe('checked');
    expect(await reader.post(`/api/reporting/statements/${correction}/replace`, {})).toMatchObject({ status: 403 });
    expect(await staff.post(`/api/reporting/statements/${former}/replace`, {})).toMatchObject({ status: 409 });
    expect(await staff.post(`/api/reporting/statements/${correction}/replace`, {})).toMatchObject({
      status: 200,
      message: 'Le relevé corrigé remplace le précédent',
      data: { replaced: { status: 'replaced' }, imports: 1, reports: 1 },
    });
    expect(await staff.post(`/api/reporting/statements/${correction}/replace`, {})).toMatchObject({ status: 409 });
    expect((await app.journal('statement.replace')).at(-1)).toMatchObject({
      entityId: String(former),
      after: { by: correction, imports: 1 },
    });
    expect(await get(former)).toMatchObject({ status: 'replaced', months: [], imports: [], hasFile: true });
    const balance = await app.db
      .selectFrom('ledgerBalances')
      .select('amount')
      .where('account', '=', `account:${account}`)
      .executeTakeFirst();
    expect(Number(balance?.amount ?? 0)).toBe(0);
    await app.runJobs();
    expect(await readLines(app.owner, former)).toEqual([]);
    expect(
      await app.owner.selectFrom('statementSums').select('item').where('statementId', '=', former).execute(),
    ).toEqual([]);
    expect((await get(correction)).months).toHaveLength(1);
    expect(await checkAsShown(staff, `/api/reporting/statements/${correction}`, { confirmRates: true })).toMatchObject({
      status: 200,
    });
  });
});

describe('deleting', () => {
  it('removes the read lines, and the same file can be uploaded again', { tags: ['slow'] }, async () => {
    const rows = [{ isrc: someIsrc(), amount: '3', month: '2024-03' }];
    const id = await load(rows);
    expect(await reader.delete(`/api/reporting/statements/${id}`)).toMatchObject({ status: 403 });
    expect(await staff.delete(`/api/reporting/statements/${id}`)).toMatchObject({
      status: 200,
      message: 'Le relevé est retiré',
    });
    expect(await staff.delete(`/api/reporting/statements/${id}`)).toMatchObject({ status: 404 });
    expect((await app.journal('statement.remove')).at(-1)).toMatchObject({
      entityId: String(id),
      before: { status: 'loaded' },
    });
    await app.runJobs();
    expect(await readLines(app.owner, id)).toEqual([]);
    const again = await load(rows);
    expect(await get(again)).toMatchObject({ status: 'loaded' });
    const list = (await reader.get('/api/reporting/statements?limit=500')).data as Statement[];
    expect(list.some((row) => row.id === id)).toBe(false);
    const ended = (await reader.get('/api/reporting/statements?limit=500&ended=true')).data as Statement[];
    expect(ended.find((row) => row.id === id)).toMatchObject({ status: 'removed' });
  });

  it('ends the load of a file that is not read yet', async () => {
    const reply = await upload(fileOf([{ isrc: someIsrc(), amount: '3' }]));
    const id = (reply.data as StatementUpload).statementId ?? 0;
    expect(await staff.delete(`/api/reporting/statements/${id}`)).toMatchObject({ status: 200 });
    await app.runJobs();
    expect(await get(id)).toMatchObject({ status: 'removed', rows: 0 });
  });
});

describe('the head of a statement', () => {
  it('returns the first lines as cells, with the values above a header, in every state', async () => {
    const isrc = someIsrc();
    const reply = await upload(Buffer.from(`Currency;AUD\n\nISRC;Été\n${isrc};1\n`, 'latin1'), {
      fileName: 'tete.csv',
    });
    const id = (reply.data as StatementUpload).statementId ?? 0;
    await app.runJobs();
    const head = async (query = '') => (await staff.get(`/api/reporting/statements/${id}/head${query}`)).data;
    expect(await head()).toMatchObject({
      charset: 'windows-1252',
      sheets: [],
      preset: null,
      rows: [
        { line: 1, cells: ['Currency', 'AUD'] },
        { line: 2 },
        { line: 3, cells: ['ISRC', 'Été'] },
        { line: 4, cells: [isrc, '1'] },
      ],
    });
    const { preamble } = (await head()) as StatementHead;
    expect(preamble.filter(({ line }) => line < 3)).toEqual([{ name: 'Currency', value: 'AUD', line: 1 }]);
    const other = (await head('?charset=macintosh')) as StatementHead;
    expect([other.charset, other.rows[2]?.cells]).toEqual(['macintosh', ['ISRC', '…tÈ']]);
    expect(await reader.get(`/api/reporting/statements/${id}/head`)).toMatchObject({ status: 403 });
    expect(await staff.get(`/api/reporting/statements/${id}/head?charset=ebcdic`)).toMatchObject({ status: 422 });
  });

  it('is empty for a file without a table', async () => {
    const reply = await upload(Buffer.from('%PDF-1.7 rien'), { fileName: 'rien.csv' });
    const id = (reply.data as StatementUpload).statementId ?? 0;
    expect(await staff.get(`/api/reporting/statements/${id}/head`)).toMatchObject({
      status: 409,
      message: expect.stringContaining('est un PDF'),
    });
  });
});

describe('the preview of a mapping', () => {
  it('counts what the file would give, names its totals and its fault, and stores nothing', async () => {
    const lines = ['Relevé', '', 'Code;Mois;Net', ...['1,5', '2,25'].map((net) => `${someIsrc()};2026-03;${net}`)];
    const reply = await upload(Buffer.from([...lines, 'TOTAL;;3,75', ''].join('\n')), { fileName: 'apercu.csv' });
    const id = (reply.data as StatementUpload).statementId ?? 0;
    await app.runJobs();
    const preset = {
      ...{
        source: '-',
        name: '-',
        columns: { isrc: ['Code'], month: ['Mois'], amount: ['Net'] },
        monthForms: ['YYYY-MM'],
      },
      ...{ optional: [], signature: [], absent: [], decimalMark: 'either', kinds: {}, skip: [], footers: [] },
    };
    const url = `/api/reporting/statements/${id}/preview`;
    const before = await get(id);
    expect((await staff.post(url, { preset, currency: 'USD' })).data).toEqual({
      ...{ counted: 2, sums: [{ currency: 'USD', amount: '3.75' }], totalLines: [6], problem: null },
    });
    const wrong = { ...preset, columns: { ...preset.columns, month: ['Code'] } };
    expect((await staff.post(url, { preset: wrong, currency: 'USD' })).data).toMatchObject({
      problem: { line: 4, message: expect.stringContaining('n’est pas une date connue') },
    });
    expect(await get(id)).toEqual(before);
    expect(await reader.post(url, { preset })).toMatchObject({ status: 403 });
  });
});

describe('the lines of a statement', () => {
  it('are those of the file, compressed or not', async () => {
    const rows = Array.from({ length: 300 }, (_, index) => ({
      isrc: someIsrc(),
      amount: `${index}`,
      title: `Été ${index}`,
    }));
    const reply = await upload(gzipSync(fileOf(rows)), { fileName: 'gros.tsv.gz' });
    const id = (reply.data as StatementUpload).statementId ?? 0;
    const lines = (await reader.get(`/api/reporting/statements/${id}/lines?from=200&count=2`)).data as {
      line: number;
      text: string;
    }[];
    expect(lines.map(({ line, text }) => [line, text.split('\t')[4]])).toEqual([
      [200, 'Été 198'],
      [201, 'Été 199'],
    ]);
    expect((await reader.get(`/api/reporting/statements/${id}/lines?from=301&count=50`)).data).toHaveLength(1);
    expect((await reader.get(`/api/reporting/statements/${id}/lines?from=900`)).data).toEqual([]);
    expect(await reader.get(`/api/reporting/statements/${id}/lines?count=201`)).toMatchObject({ status: 422 });
  });

  it('are read from an offset within a megabyte, in a loaded or refused file', { tags: ['slow'] }, async () => {
    const rows = Array.from({ length: 30_000 }, (_, index) => ({
      isrc: 'FRZ992400001',
      amount: `${index}`,
      title: `Été ${index}`,
    }));
    for (const bytes of [fileOf(rows), Buffer.concat([fileOf(rows), Buffer.from('de travers\r\n')])]) {
      const { statementId: id = 0 } = (await upload(bytes)).data as StatementUpload;
      await app.runJobs();
      const { offsets } = await app.owner
        .selectFrom('statementLineOffsets')
        .select(({ fn }) => fn.countAll<number>().as('offsets'))
        .where('statementId', '=', id ?? 0)
        .executeTakeFirstOrThrow();
      expect(offsets).toBe(Math.floor(bytes.length / 1024 / 1024));
      const texts = bytes.toString().split('\r\n');
      for (const from of [1, 2, 14_000, 29_999, 30_001]) {
        expect((await reader.get(`/api/reporting/statements/${id}/lines?from=${from}&count=1`)).data).toEqual([
          { line: from, text: texts[from - 1] },
        ]);
      }
    }
  });

  it('are the rows of a workbook', async () => {
    const isrc = someIsrc();
    const reply = await upload(workbookOf([['Code'], [isrc, { n: '1.25' }]]), { fileName: 'classeur.xlsx' });
    const id = (reply.data as StatementUpload).statementId ?? 0;
    expect((await reader.get(`/api/reporting/statements/${id}/lines`)).data).toEqual([
      { line: 1, text: 'Code' },
      { line: 2, text: `${isrc}\t1.25` },
    ]);
  });

  it('are empty when the archive is damaged', async () => {
    const bytes = gzipSync(fileOf([{ isrc: someIsrc(), amount: '1' }]));
    const reply = await upload(bytes.subarray(0, 60), { fileName: 'coupé.tsv.gz' });
    const id = (reply.data as StatementUpload).statementId ?? 0;
    expect(await reader.get(`/api/reporting/statements/${id}/lines`)).toMatchObject({
      status: 409,
      message: 'Le fichier compressé est abîmé ou coupé',
    });
  });
});

it('answers 404 for an unknown statement', async () => {
  const rest = ['', '/file', '/lines', '/differences'];
  for (const url of rest) expect((await reader.get(`/api/reporting/statements/999999${url}`)).status).toBe(404);
});
