import { readFileSync } from 'node:fs';
import type { PresetRow, StatementDetail, StatementUpload } from '@regie/contract/routes/statements.ts';
import { maxStatementBytes } from '@regie/contract/statements.ts';
import { monthToMs } from '@regie/values/month.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { enqueue } from '#src/lib/jobs.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { checkAsShown } from '#test/as-shown.ts';
import { setRate } from '#test/factories.ts';
import { hasSharedData, sharedData } from '#test/shared-data.ts';
import { landrColumns, workbookOf, zipOf } from '#test/statement-files.ts';
import { distrokidFile } from '#test/statements.ts';

const app = useApp();
let staff: TestClient;
let names = 0;
let isrcs = 0;
const someIsrc = () => `FRZ9826${String(++isrcs).padStart(5, '0')}`;

beforeAll(async () => {
  staff = await app.signInWith(['read_reports', 'edit_reports']);
});

async function drop(bytes: Buffer, options: { fileName?: string; replaces?: number } = {}): Promise<number> {
  const form = { fileName: `releves-${++names}.zip`, ...options, sizeBytes: bytes.length };
  const { id } = (await staff.post('/api/reporting/statements/uploads', form)).data as StatementUpload;
  const chunk = { field: 'chunk', fileName: 'chunk', bytes };
  const reply = await staff.upload(`/api/reporting/statements/uploads/${id}`, chunk, { 'x-file-start': '0' });
  expect(reply.status).toBe(200);
  await app.runJobs();
  return (reply.data as StatementUpload).statementId ?? 0;
}
const get = async (id: number) => (await staff.get(`/api/reporting/statements/${id}`)).data as StatementDetail;
const distrokid = (amount: string) => distrokidFile([{ isrc: someIsrc(), amount }]);
const landrRows = (amount: string) => [
  landrColumns,
  ['2024-03-15', '', someIsrc(), 'Spotify', 'Streaming', '40', amount, '100'],
];
const landr = (amount: string) =>
  landrRows(amount)
    .map((row) => row.join(','))
    .join('\n');
const storedFiles = async () => {
  const keys: string[] = [];
  for await (const { key } of app.deps.storage.list()) if (key.startsWith('statement/')) keys.push(key);
  return keys;
};

describe('a document of another program', () => {
  const ods = zipOf(['mimetype', 'META-INF/manifest.xml', 'content.xml'].map((name) => ({ name, content: 'x' })));

  it('is named, and asked for as XLSX', async () => {
    const id = await drop(ods);
    expect(await get(id)).toMatchObject({
      status: 'refused',
      problem: { message: expect.stringMatching(/OpenDocument \(ODS\).*en XLSX/) },
    });
    await staff.delete(`/api/reporting/statements/${id}`);
  });

  it('is also named in an archive', { tags: ['slow'] }, async () => {
    const archive = await drop(
      zipOf([
        { name: 'distrokid.tsv', content: distrokid('1.75') },
        { name: 'mars.ods', content: ods },
      ]),
    );
    expect((await get(archive)).leftOut).toMatchObject([
      { name: 'mars.ods', reason: expect.stringContaining('OpenDocument (ODS)'), canRead: false },
    ]);
  });

  it.skipIf(!hasSharedData('minimal')).each([
    ['9-spreadsheet.ods', 'ODS'],
    ['9b-spreadsheet.xlsb', 'XLSB'],
  ])('%s is named', async (name, kind) => {
    expect(await get(await drop(readFileSync(sharedData(`minimal/${name}`))))).toMatchObject({
      status: 'refused',
      problem: { message: expect.stringMatching(new RegExp(`\\(${kind}\\).*en XLSX`)) },
    });
  });
});

describe('an archive', () => {
  it('with several statements becomes one statement per file, and names the other files', {
    tags: ['slow'],
  }, async () => {
    const before = (await storedFiles()).length;
    const archive = await drop(
      zipOf([
        { name: 'mars/distrokid.tsv', content: distrokid('1.5') },
        { name: 'mars/landr.xlsx', content: workbookOf(landrRows('2.25')) },
        { name: 'mars/resume.csv', content: 'Devise,Total\nUSD,3.75\n' },
        { name: 'mars/LISEZMOI.txt', content: 'Bonjour,\nvoici vos relevés.\n' },
        { name: 'mars/lettre.pdf', content: '%PDF-1.4' },
      ]),
    );
    const opened = await get(archive);
    expect(opened).toMatchObject({
      status: 'unpacked',
      leftOut: expect.arrayContaining([
        { name: 'mars/resume.csv', reason: 'Aucun modèle ne reconnaît ce fichier', canRead: true },
        { name: 'mars/LISEZMOI.txt', reason: expect.any(String), canRead: expect.any(Boolean) },
        { name: 'mars/lettre.pdf', reason: 'Ce n’est pas un tableau', canRead: false },
      ]),
      members: [{ fileName: 'mars/distrokid.tsv' }, { fileName: 'mars/landr.xlsx' }],
    });
    expect(opened.leftOut).toHaveLength(3);
    const [first, second] = await Promise.all(opened.members.map(({ id }) => get(id)));
    expect(first).toMatchObject({
      status: 'loaded',
      source: 'DistroKid',
      unpackedFrom: { id: archive, status: 'unpacked' },
      months: [{ amount: '1.5' }],
    });
    expect(second).toMatchObject({ status: 'loaded', source: 'LANDR', months: [{ amount: '2.25' }] });
    // The archive and its statements are stored; files left out are not.
    expect((await storedFiles()).length).toBe(before + 3);
  });

  it('reads a file without a preset when staff asks for it', { tags: ['slow'] }, async () => {
    const archive = await drop(
      zipOf([
        { name: 'a.tsv', content: distrokid('1') },
        { name: 'autre.csv', content: `Piste;Mois;Somme\n${someIsrc()};2025-02;4,5\n` },
      ]),
    );
    const path = `/api/reporting/statements/${archive}/members`;
    expect(await staff.post(path, { name: 'a.tsv' })).toMatchObject({ status: 409 });
    expect(await staff.post(path, { name: 'autre.csv' })).toMatchObject({ status: 200 });
    await app.runJobs();
    const opened = await get(archive);
    expect(opened).toMatchObject({
      status: 'unpacked',
      leftOut: [],
      members: [
        { fileName: 'a.tsv', status: 'loaded' },
        { fileName: 'autre.csv', status: 'unrecognised' },
      ],
    });
    const other = opened.members[1]?.id ?? 0;
    const head = await staff.get(`/api/reporting/statements/${other}/head`);
    expect(head.data).toMatchObject({ rows: [{ line: 1, cells: ['Piste', 'Mois', 'Somme'] }, { line: 2 }] });
  });

  it('whose tables match no preset offers each of them for mapping', async () => {
    const archive = await drop(
      zipOf([
        { name: 'un.csv', content: `Piste;Somme\n${someIsrc()};4,5\n` },
        { name: 'deux.csv', content: `Piste;Somme\n${someIsrc()};5,5\n` },
      ]),
    );
    expect(await get(archive)).toMatchObject({
      status: 'unpacked',
      members: [{ status: 'unrecognised' }, { status: 'unrecognised' }],
    });
  });

  it('skips a file that is already a statement', { tags: ['slow'] }, async () => {
    const content = landr('7');
    const first = await drop(Buffer.from(content), { fileName: 'landr-mars.csv' });
    const archive = await drop(
      zipOf([
        { name: 'landr.csv', content },
        { name: 'a.tsv', content: distrokid('1') },
      ]),
    );
    expect(await get(archive)).toMatchObject({
      members: [{ fileName: 'a.tsv' }],
      leftOut: [{ name: 'landr.csv', reason: 'Déjà déposé\u00a0: «\u00a0landr-mars.csv\u00a0»', canRead: false }],
    });
    expect((await get(first)).status).toBe('loaded');
  });

  it('names a repeated file, on the first opening and on later ones', { tags: ['slow'] }, async () => {
    const content = distrokid('3');
    const archive = await drop(
      zipOf([
        { name: 'a.tsv', content },
        { name: 'copie/a.tsv', content },
        { name: 'notes.csv', content: 'Devise,Total\nUSD,3\n' },
      ]),
    );
    const twin = { name: 'copie/a.tsv', reason: 'Identique à «\u00a0a.tsv\u00a0» de cette archive', canRead: false };
    expect(await get(archive)).toMatchObject({
      members: [{ fileName: 'a.tsv' }],
      leftOut: expect.arrayContaining([twin]),
    });
    await staff.post(`/api/reporting/statements/${archive}/members`, { name: 'notes.csv' });
    await app.runJobs();
    expect(await get(archive)).toMatchObject({
      members: [{ fileName: 'a.tsv' }, { fileName: 'notes.csv' }],
      leftOut: [twin],
    });
  });

  it('that corrects a statement passes the correction on to its only statement', { tags: ['slow'] }, async () => {
    const former = await drop(Buffer.from(distrokid('1')), { fileName: 'ancien.tsv' });
    const archive = await drop(
      zipOf([
        { name: 'nouveau.tsv', content: distrokid('2') },
        { name: 'LISEZMOI.txt', content: 'x' },
      ]),
      { replaces: former },
    );
    const [member] = (await get(archive)).members;
    expect(await get(member?.id ?? 0)).toMatchObject({ status: 'loaded', replaces: { id: former } });
  });

  it('names the empty files and the files beside its only table', { tags: ['slow'] }, async () => {
    const archive = await drop(
      zipOf([
        { name: 'mai.tsv', content: distrokid('1') },
        { name: 'juin.dat', content: distrokid('99') },
        { name: 'vide.tsv', content: '' },
        { name: 'autre.zip', content: zipOf([{ name: 'x.tsv', content: distrokid('3') }]) },
      ]),
    );
    expect(await get(archive)).toMatchObject({
      members: [
        { fileName: 'juin.dat', status: 'loaded' },
        { fileName: 'mai.tsv', status: 'loaded' },
      ],
      leftOut: expect.arrayContaining([
        { name: 'vide.tsv', reason: 'Ce fichier est vide', canRead: false },
        { name: 'autre.zip', reason: 'Une archive dans l’archive', canRead: true },
      ]),
    });
  });

  it('that is damaged or has no table is refused as a whole', { tags: ['slow'] }, async () => {
    const before = (await storedFiles()).length;
    const bytes = zipOf([
      { name: 'a.tsv', content: distrokid('1') },
      { name: 'b.tsv', content: distrokid('2') },
    ]);
    bytes[60] = (bytes[60] ?? 0) ^ 255;
    expect(await get(await drop(bytes))).toMatchObject({
      status: 'refused',
      problem: { message: 'Ce fichier ZIP est abîmé ou coupé' },
      members: [],
    });
    const texts = zipOf(['a.txt', 'b.txt'].map((name) => ({ name, content: 'Bonjour' })));
    expect(await get(await drop(texts))).toMatchObject({ status: 'refused', members: [] });
    expect((await storedFiles()).length).toBe(before + 2);
  });
});

describe('an archive inside an archive', () => {
  const readMember = async (id: number, name: string) => {
    const reply = await staff.post(`/api/reporting/statements/${id}/members`, { name });
    await app.runJobs();
    return reply.status;
  };
  const packed = (name: string, content: Buffer | string) => zipOf([{ name, content }]);
  const asked = (name: string) => [{ name, reason: 'Une archive dans l’archive', canRead: true }];

  it('is opened only when staff asks, whatever its name and the files beside it', {
    tags: ['slow'],
  }, async () => {
    const alone = await drop(packed('mars.zip', packed('a.tsv', distrokid('1'))));
    expect(await get(alone)).toMatchObject({ status: 'unpacked', members: [], leftOut: asked('mars.zip') });
    const inner = () => zipOf(['a.tsv', 'b.tsv'].map((name) => ({ name, content: distrokid('1') })));
    for (const name of ['mars.csv', 'mars']) {
      const archive = await drop(
        zipOf([
          { name, content: inner() },
          { name: 'a.pdf', content: '%PDF' },
        ]),
      );
      const opened = await get(archive);
      expect(opened).toMatchObject({ status: 'unpacked', members: [] });
      expect(opened.leftOut).toEqual(expect.arrayContaining(asked(name)));
      expect(await readMember(archive, name)).toBe(200);
      const [member] = (await get(archive)).members;
      expect((await get(member?.id ?? 0)).members).toMatchObject([{ status: 'loaded' }, { status: 'loaded' }]);
    }
    const beside = await drop(
      zipOf([
        { name: 'x.zip', content: packed('c.tsv', distrokid('1')) },
        { name: 'un.csv', content: `Piste;Somme\n${someIsrc()};4,5\n` },
      ]),
    );
    expect(await get(beside)).toMatchObject({ members: [{ fileName: 'un.csv' }], leftOut: asked('x.zip') });
  });

  it('is opened down to the third', { tags: ['slow'] }, async () => {
    const fourth = packed('d.zip', packed('a.tsv', distrokid('1')));
    let id = await drop(packed('b.zip', packed('c.zip', fourth)));
    for (const name of ['b.zip', 'c.zip']) {
      expect(await readMember(id, name)).toBe(200);
      id = (await get(id)).members[0]?.id ?? 0;
    }
    const leftOut = [{ name: 'd.zip', reason: 'Plus de 3 archives l’une dans l’autre', canRead: false }];
    expect(await get(id)).toMatchObject({ status: 'unpacked', members: [], leftOut });
    expect(await readMember(id, 'd.zip')).toBe(409);
  });

  it('is refused when all levels together have too many files, or too large ones', { tags: ['slow'] }, async () => {
    const file = (name = 'a.tsv') => ({ name, content: distrokid('1') });
    const some = (from: number) => Array.from({ length: 500 }, (_, n) => ({ name: `${from + n}.txt`, content: '' }));
    const open = async (fill: (archive: number) => Promise<unknown>, inner: Buffer) => {
      const archive = await drop(zipOf([...some(0), file(), { name: 'b.zip', content: inner }]));
      await fill(archive);
      expect(await readMember(archive, 'b.zip')).toBe(200);
      const member = (await get(archive)).members.find(({ fileName }) => fileName === 'b.zip');
      return get(member?.id ?? 0);
    };
    const many = await open(async () => undefined, zipOf([...some(500), file()]));
    expect(many).toMatchObject({
      status: 'refused',
      problem: { message: expect.stringContaining('plus de 1000 fichiers') },
    });
    const inner = zipOf([file(), file('b.tsv')]);
    // Leaves room for the inner archive, not for what is in it.
    const huge = (id: number) =>
      app.owner
        .updateTable('statements')
        .set({ sizeBytes: 4 * maxStatementBytes - inner.length - 50 })
        .where('unpackedFrom', '=', id)
        .execute();
    const large = await open(huge, inner);
    expect(large).toMatchObject({
      status: 'refused',
      problem: { message: expect.stringContaining('au-delà de toute mesure') },
    });
  });
});

describe.skipIf(!hasSharedData('statements'))('a sample file', () => {
  it.each([
    ['spotify-201710-excerpt.txt', 'Spotify', 'USD', '33.0964897858356444621782127250224362', 247],
    ['apple-music-s1-AU-201710-excerpt.txt', 'Apple', 'AUD', '11.79549', 245],
  ])('%s loads without questions, to the last decimal', async (fileName, source, currency, amount, rows) => {
    const id = await drop(readFileSync(sharedData(`statements/${fileName}`)), { fileName });
    expect(await get(id)).toMatchObject({
      status: 'loaded',
      source,
      rows,
      countedRows: rows,
      skipped: [],
      months: [{ month: monthToMs('2017-10'), currency, amount }],
    });
  });
});

describe('a statement', () => {
  it('without lines does not count as income and cannot be checked', async () => {
    const [header = ''] = distrokid('1').split('\n');
    const id = await drop(Buffer.from(`${header}\n`), { fileName: 'vide.tsv' });
    expect(await get(id)).toMatchObject({ status: 'loaded', rows: 0, countedRows: 0, months: [] });
    expect(await checkAsShown(staff, `/api/reporting/statements/${id}`, {})).toMatchObject({
      status: 409,
      message: 'Ce relevé ne contient aucune ligne de revenu\u00a0: il ne peut pas être validé',
    });
  });

  it('that crashed its reader three times is not read until staff restarts it', { tags: ['slow'] }, async () => {
    const id = await drop(Buffer.from(distrokid('1')), { fileName: 'fatal.tsv' });
    await app.db.updateTable('statements').set({ status: 'reading', attempts: 3 }).where('id', '=', id).execute();
    await app.owner.deleteFrom('statementSums').where('statementId', '=', id).execute();
    await app.db.transaction().execute((trx) => enqueue(trx, 'read_statement', { statementId: id }));
    await app.runJobs();
    expect(await get(id)).toMatchObject({
      status: 'refused',
      problem: { message: expect.stringContaining('interrompue trois fois') },
    });
    await staff.post(`/api/reporting/statements/${id}/preset`, { preset: null });
    await app.runJobs();
    expect(await get(id)).toMatchObject({ status: 'loaded', rows: 1 });
  });

  it('can be read again until it is validated', { tags: ['slow'] }, async () => {
    const bytes = Buffer.from(distrokid('1'));
    const id = await drop(bytes, { fileName: 'etats.tsv' });
    const again = (preset: string | null) => staff.post(`/api/reporting/statements/${id}/preset`, { preset });
    await again('tunecore');
    await app.runJobs();
    expect((await get(id)).status).toBe('unrecognised');
    await again('distrokid');
    await app.runJobs();
    expect(await get(id)).toMatchObject({ status: 'loaded', rows: 1, lines: 1 });
    await setRate(app.db, 'USD', '2020-01', 1.25);
    expect(await checkAsShown(staff, `/api/reporting/statements/${id}`, {})).toMatchObject({ status: 200 });
    expect(await again('distrokid')).toMatchObject({
      status: 409,
      message: expect.stringContaining('valid'),
    });
  });

  it('marks a preset verified once it has read a whole file', { tags: ['slow'] }, async () => {
    const form = {
      source: 'Essai',
      name: 'Essai, lignes avant l’en-tête',
      columns: { isrc: ['Piste'], amount: ['Gain'] },
      preamble: { month: ['Période'], currency: ['Devise'] },
      optional: [],
      signature: [],
      absent: [],
      monthForms: ['MMMM YYYY'],
      decimalMark: ',',
      kinds: {},
      skip: [],
      footers: [],
    };
    const { key } = (await staff.post('/api/reporting/presets', form)).data as { key: string };
    const isVerified = async () =>
      ((await staff.get('/api/reporting/presets')).data as PresetRow[]).find((preset) => preset.key === key)
        ?.isVerified;
    expect(await isVerified()).toBe(false);
    const file = (currency: string, amount: string) =>
      Buffer.from(`Devise;${currency}\nPériode;mars 2025\nPiste;Gain\n${someIsrc()};${amount}\n`);
    const broken = await drop(file('AUD', 'rien'), { fileName: 'aud-1.csv' });
    expect((await get(broken)).status).toBe('refused');
    expect(await isVerified()).toBe(false);
    for (const currency of ['AUD', 'JPY']) {
      const id = await drop(file(currency, '1,5'), { fileName: `${currency}.csv` });
      expect(await get(id)).toMatchObject({ status: 'loaded', preset: { key }, months: [{ currency, amount: '1.5' }] });
    }
    expect(await isVerified()).toBe(true);
  });
});
