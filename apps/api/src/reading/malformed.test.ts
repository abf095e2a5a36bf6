import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readStatement, storedFile, workbookOf, zipOf } from '#test/statement-files.ts';
import { rawHeader as bandcampHeader } from './presets/bandcamp.fixtures.ts';
import { type SheetCell, table } from './presets/fixture.ts';
import { fixtures as iheart } from './presets/iheart.fixtures.ts';
import { builtInPresets } from './presets.ts';
import { openStatement, type ReadOptions } from './read-statement.ts';
import { StatementRefusal } from './refusal.ts';

const document = (...names: string[]) => names.map((name) => ({ name, content: 'x' }));
const header =
  'Reporting Date\tSale Month\tStore\tArtist\tTitle\tISRC\tUPC\tQuantity\tTeam Percentage\tSong/Album\tCountry of Sale\tSongwriter Royalties Withheld\tEarnings (USD)';
const row = (change: Record<string, string> = {}) =>
  header
    .split('\t')
    .map(
      (name) =>
        ({
          'Sale Month': '2025-01',
          Store: 'Deezer',
          ISRC: 'FRABC2500001',
          Quantity: '1',
          'Earnings (USD)': '0.5',
          ...change,
        })[name] ?? '',
    )
    .join('\t');
const file = (...rows: string[]) => [header, row(), ...rows, ''].join('\r\n');
const landr = (...rows: string[]) =>
  [
    'Payment Date,UPC,ISRC,Store,Store service,Quantity of sales or streams,Net earnings (USD),Share %',
    ...rows,
    '',
  ].join('\n');
const landrRow = '2024-03-15,,FRABC2400001,Spotify,Streaming,40,0.5,100';
const believe = (...amounts: string[]) =>
  [
    'Reporting month;Sales Month;Platform;Country / Region;Label Name;Artist Name;Track title;UPC;ISRC;Sales Type;Quantity;Client Payment Currency;Gross Revenue;Net Revenue',
    ...amounts.map((amount) => `2026/05/01;2026/04/01;Deezer;France;L;A;T;;FRABC2600001;Stream;1;EUR;9;${amount}`),
    '',
  ].join('\n');
const itunes = (rows: number, end: string) =>
  [
    'Start Date\tUPC\tISRC/ISBN\tVendor Identifier\tQuantity\tExtended Partner Share\tPartner Share Currency\tSales or Return\tArtist/Show/Developer/Author\tTitle\tProduct Type Identifier\tCountry Of Sale',
    ...Array.from({ length: rows }, () => '08/02/2021\t\tFRABC2100001\tV\t1\t0.7\tAUD\tS\tA\tT\tH3\tAU'),
    end,
  ].join('\n');
const fuga = (...signs: string[]) =>
  [
    'Royalty ID,Asset ISRC,Asset Title,Asset Artist,Sale net receipts calculation,Sale net receipts,Contract deal term,Reported Royalty,Territory,Quantity,Sale Type,Sale Start date,DSP,Royalty Calculation Base,Currency,Product UPC',
    ...signs.map(
      (sign) => `1,FRABC2200001,T,A,£1 × 1 = ${sign}1,1,85%,0.85,FR,1,Streaming,2022-08-01,Deezer,royalty,GBP,`,
    ),
    '',
  ].join('\n');
const bandcamp = (...changes: Record<string, string>[]) =>
  table(
    bandcampHeader,
    changes.map((change) => ({
      date: '1/2/24 4:00pm',
      'item type': 'track',
      'item name': 'T',
      currency: 'EUR',
      quantity: '1',
      'sub total': '10',
      'transaction fee': '0.6',
      'assessed revenue share': '1',
      'bandcamp transaction id': '1',
      ...change,
    })),
  );
const back = { 'item type': 'refund' };
const sheet = (...rows: SheetCell[][]) => workbookOf([header.split('\t'), ...rows]);
const sheetRow = (amount: SheetCell, quantity: SheetCell = { n: '1' }): SheetCell[] => {
  const cells: SheetCell[] = row().split('\t');
  cells[7] = quantity;
  cells[12] = amount;
  return cells;
};
const dsr = (...rows: string[]) =>
  [
    'HEAD\tdsrf/30\tUGCProfile\t1.1\tM\t2016-01-21T15:09:26Z\t1\t1\t2015-10-01\t2015-12-31\tP\tYouTube',
    'SY02\t1\t\t\tAd\tStream\tIS\tS\t1\t\tUSD\t9',
    'AS01\t1\tR1\tX1\tFRABC1500001\tUn\t\tA\t\tPT1M\tSoundRecording',
    ...rows,
  ].join('\n');

/** A title longer than any allowed row, for a zip bomb. */
const bombTitle = 'a'.repeat(900_000);

const refusals: [string, () => string | Buffer, RegExp, number | undefined, ReadOptions?][] = [
  ['a row that is too short', () => file('2025-04-02\t2025-01\tDeezer'), /a 3 colonnes, l’en-tête en a 13/, 3],
  ['a row that is too long', () => file(`${row()}\tplus`), /a 14 colonnes, l’en-tête en a 13/, 3],
  ['a file cut in a row', () => file(row(), row()).slice(0, -20), /colonnes, l’en-tête en a 13/, 4],
  ['a column twice in the header', () => `${header}\tQuantity\r\n${row()}\t1\r\n`, /«\sQuantity\s» est deux fois/, 1],
  [
    'a signature column twice',
    () => `x\r\n${header}\tTeam Percentage\r\n${row()}\t1\r\n`,
    /«\sTeam Percentage\s» est deux fois/,
    2,
  ],
  [
    'a comma for a dot',
    () => file(row({ 'Earnings (USD)': '0,5' })),
    /«\s0,5\s» n’est pas un montant lisible\u00a0: le modèle attend un point/,
    3,
  ],
  ['a comma before three decimals', () => file(row({ 'Earnings (USD)': '0,507' })), /n’est pas un montant/, 3],
  ['a dot for a comma', () => believe('0,5', '0,05', '1,5').replace('1,5\n', '1.5\n'), /séparateur décimal/, undefined],
  ['no sign that tells', () => believe('1,234', '5,678'), /Rien ne dit/, 2],
  [
    'amounts of which none tells thousands from decimals',
    () => file().replace('0.5', '1,234'),
    /rien ne dit si la virgule/,
    2,
  ],
  ['a word for an amount', () => file(row(), row({ 'Earnings (USD)': 'N/A' })), /«\sN\/A\s» n’est pas un montant/, 4],
  ['a word for a quantity', () => file(row({ Quantity: 'beaucoup' })), /«\sbeaucoup\s» n’est pas une quantité/, 3],
  [
    'a date of which nothing tells the day from the month',
    () => file(row({ 'Sale Month': '02/01/2025' })),
    /«\s02\/01\/2025\s» n’est pas une date connue\u00a0: le modèle attend AAAA-MM/,
    3,
  ],
  [
    'a sale without an amount of which no share is said',
    () => bandcamp({ 'assessed revenue share': '' }),
    /Le montant \(«\snet amount\s»\) est vide, et «\sassessed revenue share\s» aussi/,
    2,
  ],
  [
    'a payout that is not what the columns come to',
    () => bandcamp({ 'change to payout balance': '8.5' }),
    /«\schange to payout balance\s» dit 8.5, le calcul du montant de cette vente donne 8.4/,
    2,
  ],
  [
    'a cart whose payout is not what its rows come to',
    () => bandcamp({ ...back, 'change to payout balance': '-18' }, { ...back, shipping: '-1' }),
    /dit -18, le calcul du montant de cette vente donne -17.8/,
    2,
  ],
  ['an empty amount', () => file(row({ 'Earnings (USD)': ' ' })), /Le montant \(«\sEarnings \(USD\)\s»\) est vide/, 3],
  [
    'an amount in another currency',
    () => file(row({ 'Earnings (USD)': '0.50 €' })),
    /«\s0.50 €\s» n’est pas en USD/,
    3,
  ],
  ['an amount of too many digits', () => file(row({ 'Earnings (USD)': '1234567890123456' })), /plus de 15 chiffres/, 3],
  ['a quantity in dollars', () => file(row({ Quantity: '$5' })), /«\s\$5\s» n’est pas une quantité/, 3],
  ['no date', () => file(row({ 'Sale Month': '' })), /La date de cette ligne est vide/, 3],
  ['a month that is none', () => file(row({ 'Sale Month': '2025-13' })), /n’est pas une date connue/, 3],
  ['a day that no month has', () => file(row({ 'Sale Month': '2025-06-31' })), /n’est pas une date connue/, 3],
  [
    'a period without its end',
    () => String(iheart.iheart?.file).replace('02/29/2024', ''),
    /La fin de la période de cette ligne est vide/,
    2,
  ],
  ['an empty currency', () => believe('1,50').replace(';EUR;', '; ;'), /La devise de cette ligne est vide/, 2],
  [
    'a formula that ends in no currency',
    () => fuga('£', '', '£'),
    /La colonne «\sSale net receipts calculation\s» de cette ligne ne dit pas de devise/,
    3,
  ],
  ['what is no currency', () => believe('1,50').replace(';EUR;', ';euros;'), /«\seuros\s» n’est pas une devise/, 2],
  [
    'another currency in a formula',
    () => fuga('£', '¥', '£'),
    /La devise «\s¥\s» de la colonne «\sSale net receipts calculation\s» n’est pas celle du relevé/,
    3,
  ],
  [
    'more countries than there are',
    () => file(...Array.from({ length: 5000 }, (_, index) => row({ 'Country of Sale': `Lieu ${index}` }))),
    /Plus de 4096 pays différents/,
    4098,
  ],
  ['an open quote', () => landr(landrRow, `2024-03-15,,"FRABC,a`, landrRow), /guillemet n’est jamais refermé/, 3],
  ['a quote inside a cell', () => landr(landrRow, '2024-03-15,,"FR"ABC,Spotify,S,1,1,1'), /guillemet est mal placé/, 3],
  ['a row without end', () => `${landr(landrRow)}${'a'.repeat(1_100_000)}`, /n’a pas de fin/, 3],
  [
    'zeros in the text',
    () => file(...Array.from({ length: 98 }, () => row()), '\0'.repeat(3000)),
    /trou à cet endroit/,
    101,
  ],
  ['zeros at the beginning', () => '\0'.repeat(3000), /n’est pas un texte/, undefined],
  ['a picture', () => Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), /n’est pas un texte/, undefined],
  ['a PDF', () => '%PDF-1.7\n1 0 obj\n<< /Type /Catalog >>\n', /est un PDF.* en XLSX ou en CSV/, undefined],
  ['a RAR', () => Buffer.from('526172211a0700cf', 'hex'), /est une archive RAR.* en ZIP/, undefined],
  ['a 7z', () => Buffer.from('377abcaf271c0004', 'hex'), /est une archive 7z.* en ZIP/, undefined],
  ['a very old workbook', () => Buffer.from('0900040007001000', 'hex'), /ancien Excel \(XLS\)/, undefined],
  [
    'an old workbook in a ZIP',
    () => zipOf([{ name: 'a.xls', content: Buffer.from('d0cf11e0a1b11ae1', 'hex') }]),
    /ancien Excel \(XLS\).* en XLSX/,
    undefined,
  ],
  [
    'an OpenDocument',
    () => zipOf(document('mimetype', 'content.xml', 'META-INF/manifest.xml')),
    /OpenDocument \(ODS\).* en XLSX/,
    undefined,
  ],
  [
    'a binary workbook',
    () => zipOf(document('[Content_Types].xml', 'xl/workbook.bin')),
    /binaire \(XLSB\).* en XLSX/,
    undefined,
  ],
  [
    'a document of Numbers',
    () => zipOf(document('Index/Document.iwa', 'Metadata/Properties.plist')),
    /Numbers.* en XLSX/,
    undefined,
  ],
  ['a page', () => `<!DOCTYPE html><table><tr><td>${header}</td></tr></table>`, /n’est pas un tableau/, undefined],
  ['a file of another kind', () => '[{"isrc": "FRABC2500001", "amount": 1}]', /n’est pas un tableau/, undefined],
  ['a letter', () => 'Bonjour\nVoici votre relevé.\n', /n’est pas un tableau/, undefined],
  ['an old workbook', () => Buffer.from('d0cf11e0a1b11ae1', 'hex'), /ancien Excel/, undefined],
  ['nothing', () => '\r\n\r\n', /est vide/, undefined],
  [
    'broken UTF-8',
    () => Buffer.concat([Buffer.from(file(row({ Title: 'Été à la mer' }))), Buffer.from([0xff]), Buffer.from(row())]),
    /caractère n’y est pas lisible/,
    4,
  ],
  [
    'a last character that is cut',
    () => Buffer.from(file(row({ Title: 'Été' }), 'é')).subarray(0, -3),
    /dernier caractère du fichier est coupé/,
    4,
  ],
  [
    'a gzip that is cut',
    () => gzipSync(file(...Array.from({ length: 50 }, (_, i) => row({ Title: `${i * 7919}` })))).subarray(0, -40),
    /abîmé ou coupé/,
    undefined,
  ],
  ['a ZIP that is cut', () => zipOf([{ name: 'a.csv', content: file() }]).subarray(0, 100), /ZIP est abîmé/, undefined],
  ['a ZIP without a table', () => zipOf([{ name: 'lettre.pdf', content: 'x' }]), /ne contient aucun relevé/, undefined],
  [
    'a ZIP with a password',
    () => {
      const zip = zipOf([{ name: 'a.csv', content: file() }]);
      zip[zip.indexOf('PK\u0001\u0002') + 8] = 1;
      return zip;
    },
    /mot de passe/,
    undefined,
  ],
  [
    'a gzip made to fill a disk',
    () => {
      const bomb = gzipSync(`${row({ Title: bombTitle })}\r\n`);
      return Buffer.concat([gzipSync(file()), ...Array.from({ length: 320 }, () => bomb)]);
    },
    /au-delà de toute mesure/,
    301,
  ],
  [
    'a ZIP made to fill a disk',
    () => zipOf([{ name: 'a.tsv', content: file(...Array.from({ length: 320 }, () => row({ Title: bombTitle }))) }]),
    /au-delà de toute mesure/,
    301,
  ],
  [
    'a workbook made to fill a disk',
    () =>
      zipOf([
        { name: 'xl/workbook.xml', content: '<workbook/>' },
        {
          name: 'xl/worksheets/sheet1.xml',
          content: `<worksheet><sheetData>${`<!--${bombTitle.slice(0, 90_000)}-->`.repeat(3200)}</sheetData></worksheet>`,
        },
      ]),
    /classeur Excel ne se lit pas/,
    undefined,
  ],
  [
    'a formula for an amount',
    () => sheet(sheetRow({ n: '1' }), sheetRow({ n: '2', f: 'A1*2' })),
    /«\sEarnings \(USD\)\s» y est calculée par une formule/,
    3,
  ],
  [
    'a formula for a quantity',
    () => sheet(sheetRow({ n: '1' }, { n: '2', f: 'A1*2' })),
    /«\sQuantity\s» y est calculée/,
    2,
  ],
  [
    'a formula for an ISRC',
    () => {
      const cells = sheetRow({ n: '1' });
      cells[5] = { n: '7', f: 'A1' };
      return sheet(cells);
    },
    /«\sISRC\s» y est calculée/,
    2,
  ],
  ['an error in a workbook', () => sheet(sheetRow('#REF!')), /«\s#REF!\s» n’est pas un montant/, 2],
  ['a row of a workbook that is too long', () => sheet([...sheetRow({ n: '1' }), 'plus']), /a 14 colonnes/, 2],
  [
    'a sheet that is cut',
    () =>
      zipOf([
        { name: 'xl/workbook.xml', content: '<workbook/>' },
        { name: 'xl/worksheets/sheet1.xml', content: '<worksheet><sheetData><row><c><v>1</v></c></row>' },
      ]),
    /classeur Excel ne se lit pas/,
    undefined,
  ],
  ['fewer rows than the end says', () => itunes(2, 'Total_Rows\t3\n'), /annonce 3 lignes, il en a 2/, 4],
  ['no end where there is one', () => itunes(2, ''), /La fin du relevé manque/, undefined],
  [
    'a sale without its summary',
    () => dsr('SU03\t1\tU1\t2\tX1\t1\t0.5\t20151001\t20151231', 'FOOT\t5\t\t\t\t'),
    /récapitulatif «\s2\s» de cette vente manque/,
    4,
  ],
  [
    'a summary twice',
    () => dsr('SY02\t1\t\t\tAd\tStream\tIS\tS\t1\t\tEUR\t9', 'SU03\t1'),
    /récapitulatif «\s1\s» y est deux fois/,
    4,
  ],
  ['a sale that is too short', () => dsr('SU03\t1\tU1\t1\tX1', 'FOOT\t5'), /a 5 colonnes, «\sSU03\s» en a 9/, 4],
  [
    'a flat file without its end',
    () => dsr('SU03\t1\tU1\t1\tX1\t1\t0.5\t20151001\t20151231'),
    /La fin du relevé manque/,
    undefined,
  ],
  [
    'rows behind the end',
    () => dsr('SU03\t1\tU1\t1\tX1\t1\t0.5\t20151001\t20151231', 'FOOT\t5', 'SU03\t1'),
    /suivent la fin/,
    6,
  ],
];

describe('an unreadable file', () => {
  const isRefused = async (...[, build, sentence, line, options]: (typeof refusals)[number]) => {
    const error = await readStatement(build(), options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StatementRefusal);
    expect(error).toMatchObject({ message: expect.stringMatching(sentence), line });
  };
  const isBomb = (what: string) => what.endsWith('made to fill a disk');
  it.each(refusals.filter(([what]) => !isBomb(what)))('is refused: %s', isRefused);
  it.each(refusals.filter(([what]) => isBomb(what)))('is refused: %s', { tags: ['slow'] }, isRefused);
});

describe('a file that matches no preset', () => {
  const open = (content: string, chosen?: string) => openStatement(storedFile(content), builtInPresets, { chosen });

  it('shows the missing columns of the nearest presets, and its first rows', async () => {
    const opened = await open(file(row()).replaceAll('\tQuantity', '\tCombien'));
    expect(opened).toMatchObject({
      is: 'unrecognised',
      findings: {
        tried: [{ key: 'distrokid', missing: ['Quantity'] }, { key: 'distrokid-2018' }, {}],
        rows: [{ line: 1 }, { line: 2 }, { line: 3 }],
      },
    });
    expect(JSON.parse(JSON.stringify(opened))).toEqual(opened);
  });

  it('is not read by a preset that does not match, even when chosen', async () => {
    expect(await open(file(), 'tunecore')).toMatchObject({
      is: 'unrecognised',
      findings: { tried: [{ key: 'tunecore' }] },
    });
    expect(await open(file(), 'nothing')).toMatchObject({ is: 'unrecognised', findings: { tried: [] } });
  });

  it('is ambiguous when several match', async () => {
    expect(await open(fuga('$', '$'))).toMatchObject({
      is: 'ambiguous',
      findings: {
        presets: [{ key: 'fuga-extended', source: 'FUGA', needsMonth: false, needsCurrency: true }],
        rows: [{ line: 1 }, { line: 2 }, { line: 3 }],
      },
    });
  });

  it('is ambiguous when it names no month', async () => {
    expect(await open('isrc,streams,incomeofstreams\nFRABC2500001,1,0.5\n')).toMatchObject({
      is: 'ambiguous',
      findings: { presets: [{ key: 'regie', needsMonth: true, needsCurrency: false }] },
    });
  });
});
