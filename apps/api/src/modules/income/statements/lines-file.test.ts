import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { monthToMs } from '@regie/values/month.ts';
import { beforeAll, expect, it } from 'vitest';
import { literal } from '#src/lib/column-engine.ts';
import { type TestClient, useApp } from '#test/app.ts';
import { buildAccount, buildTrack } from '#test/factories.ts';
import { testLines } from '#test/lines.ts';
import { buildStatement } from '#test/statements.ts';

const app = useApp();
const test = () => ({ owner: app.owner, ownerUrl: app.database.ownerUrl });
let staff: TestClient;
let statement: number;
let isrc: string;

beforeAll(async () => {
  staff = await app.signInWith(['read_reports']);
  isrc = (await buildTrack(app.db, await buildAccount(app.db))).isrc;
  statement = await buildStatement(
    test(),
    [
      {
        isrc,
        title: '=SUM(A1)',
        artist: 'Nina; "N"',
        amount: '-0.050000000000000000000000000000000000000000000001',
        quantity: '-1.5',
      },
      {
        isrc,
        title: '=SUM(A1)',
        artist: 'Nina; "N"',
        amount: '100',
        quantity: 200,
        month: '2025-02',
        store: 'iTunes',
        country: '',
      },
    ],
    { fileName: 'releve.tsv' },
  );
  await buildStatement(test(), [{ isrc, amount: '3', month: '2024-11' }], {
    fileName: 'autre.tsv',
    accountingMonth: '2025-02-01',
  });
});

const get = (query: string) => staff.get(`/api/reporting/lines?${query}`);
const head =
  '\ufeffMois comptable;Source;Relevé;Mois;Plateforme;Pays;ISRC;Code-barres;Titre;Artiste;Type;Devise;Quantité;Montant;Lignes du fichier;Première ligne';

it('exports the lines of a statement as CSV, with every decimal and the names of items', async () => {
  const reply = await get(`format=csv&statement=${statement}`);
  expect(reply.headers['content-disposition']).toContain('filename="lignes-releve.csv"');
  expect(String(reply.bytes).split('\n')).toEqual([
    head,
    `2025-01;DistroKid;releve.tsv;2025-01;Deezer;FR;${isrc};;'=SUM(A1);"Nina; ""N""";Écoutes;USD;-1,5;-0,050000000000000000000000000000000000000000000001;1;2`,
    `2025-02;DistroKid;releve.tsv;2025-02;iTunes;;${isrc};;'=SUM(A1);"Nina; ""N""";Téléchargements;USD;200;100;1;3`,
    '',
  ]);
});

it('exports the lines that statements post to a month', async () => {
  const reply = await get(`format=csv&month=${monthToMs('2025-02')}`);
  expect(reply.headers['content-disposition']).toContain('filename="lignes-2025-02.csv"');
  expect(
    String(reply.bytes)
      .split('\n')
      .map((line) => line.split(';').slice(0, 4)),
  ).toMatchObject([
    { length: 4 },
    ['2025-02', 'DistroKid', 'autre.tsv', '2024-11'],
    ['2025-02', 'DistroKid', 'releve.tsv', '2025-02'],
    [''],
  ]);
});

it('exports the lines as Parquet, with numbers that add up', async () => {
  const { bytes } = await get(`format=parquet&statement=${statement}`);
  await using folder = await testLines.makeFolder();
  const path = join(folder.path, 'a.parquet');
  await writeFile(path, bytes);
  const sums = `SELECT count(*)::INTEGER AS lines, sum(amount) AS amount, sum(amount_rest) AS rest, min(title) AS title FROM ${literal(path)}`;
  expect(await testLines.engine.run([sums])).toEqual([
    { lines: 2, amount: '99.950000000000000000', rest: '-1', title: '=SUM(A1)' },
  ]);
});

it('needs the right to read reports, one statement or month, and lines', async () => {
  const other = await app.signInWith(['edit_coupon']);
  expect(await other.get(`/api/reporting/lines?format=csv&statement=${statement}`)).toMatchObject({ status: 403 });
  expect(await get('format=csv&statement=999999')).toMatchObject({ status: 404 });
  expect(await get('format=csv')).toMatchObject({ status: 422 });
  expect(await get(`format=csv&statement=${statement}&month=${monthToMs('2025-02')}`)).toMatchObject({ status: 422 });
  expect(await get(`format=csv&month=${monthToMs('2024-02')}`)).toMatchObject({ status: 409 });
});
