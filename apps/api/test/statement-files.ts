import { Readable } from 'node:stream';
import { zipSync } from 'fflate';
import type { StoredFile } from '#src/reading/archives.ts';
import { cellsOf } from '#src/reading/decimals.ts';
import type { SheetCell } from '#src/reading/presets/fixture.ts';
import { builtInPresets } from '#src/reading/presets.ts';
import { openStatement, type ReadOptions } from '#src/reading/read-statement.ts';
import type { KnownPreset } from '#src/reading/recognise.ts';
import type { SeenItem } from '#src/reading/summing.ts';

/** Columns of a LANDR statement. */
export const landrColumns = [
  'Payment Date',
  'UPC',
  'ISRC',
  'Store',
  'Store service',
  'Quantity of sales or streams',
  'Net earnings (USD)',
  'Share %',
];

/** A stored file that streams in chunks ending at `cuts`. */
export function storedFile(content: string | Buffer, cuts: readonly number[] = []): StoredFile {
  const bytes = Buffer.from(content);
  return {
    sizeBytes: bytes.length,
    open: async ({ start, end } = { start: 0, end: bytes.length - 1 }) => {
      const bounds = [start, ...cuts.filter((cut) => cut > start && cut <= end), end + 1];
      return Readable.from(
        bounds.slice(1).map((bound, index) => bytes.subarray(bounds[index], bound)),
        { objectMode: true },
      );
    },
  };
}

/** A statement line, parsed from its COPY text. */
export interface ReadLine {
  month: string;
  store: string;
  country: string;
  item: string;
  kind: string;
  currency: string;
  quantity: string;
  amount: string;
  rows: number;
  firstLine: number;
}

/** Reads a whole file with the built-in presets, and others. @throws StatementRefusal; Error when it is not recognised */
export async function readStatement(
  content: string | Buffer,
  options: ReadOptions & { cuts?: number[] } = {},
  others: readonly KnownPreset[] = [],
) {
  const opened = await openStatement(storedFile(content, options.cuts), [...builtInPresets, ...others], options);
  if (opened.is === 'summary') throw new Error('a summary has no lines');
  if (opened.is !== 'recognised') throw new Error(`${opened.is}: ${JSON.stringify(opened.findings)}`);
  const lines: ReadLine[] = [];
  const items: SeenItem[] = [];
  for await (const summed of opened.lines()) {
    items.push(...summed.items);
    for (const line of String(summed.copyText).split('\n').slice(0, -1)) lines.push(readLine(line));
  }
  const { known, totals, bytesRead, sheets, leftOut } = opened;
  return { preset: known.key, lines, items, totals, bytesRead, sheets, leftOut };
}

function readLine(line: string): ReadLine {
  const [
    month = '',
    store = '',
    country = '',
    item = '',
    kind = '',
    currency = '',
    quantity = '',
    amount = '',
    ...rest
  ] = cellsOf(line);
  const [rows, firstLine] = rest.map(Number);
  return { month, store, country, item, kind, currency, quantity, amount, rows: rows ?? 0, firstLine: firstLine ?? 0 };
}

const places = 100;

/** A decimal as an integer of its hundredth decimal place. */
export function scaled(text: string): bigint {
  const found = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!found) throw new Error(`« ${text} » is no decimal`);
  const [, sign, whole = '', decimals = '', power = '0'] = found;
  const exponent = places - decimals.length + Number(power);
  if (exponent < 0) throw new Error(`« ${text} » has too many decimals`);
  const value = BigInt(whole + decimals || '0') * 10n ** BigInt(exponent);
  return sign ? -value : value;
}

/** Exact sum of decimals, as the shortest text. */
export function sumOf(texts: readonly string[]): string {
  const sum = texts.reduce((total, text) => total + scaled(text), 0n);
  const digits = String(sum < 0n ? -sum : sum).padStart(places + 1, '0');
  const text = `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '');
  return sum < 0n ? `-${text}` : text;
}

/** Amounts by currency. */
export function totalsOf(lines: readonly ReadLine[]): Record<string, string> {
  const currencies = [...new Set(lines.map((line) => line.currency))].sort();
  return Object.fromEntries(
    currencies.map((currency) => [
      currency,
      sumOf(lines.filter((line) => line.currency === currency).map((line) => line.amount)),
    ]),
  );
}

/** A ZIP of these files. */
export function zipOf(files: readonly { name: string; content: string | Buffer }[]): Buffer {
  const entries = files.map(({ name, content }) => [name, Buffer.from(content)]);
  return Buffer.from(zipSync(Object.fromEntries(entries), { mtime: new Date(2026, 0, 1) }));
}

const escapeXml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

function cellXml(cell: SheetCell): string {
  if (typeof cell === 'string') return `<c t="inlineStr"><is><t>${escapeXml(cell)}</t></is></c>`;
  const area = 'f' in cell && 'ref' in cell ? ` t="array" ref="${cell.ref}"` : '';
  return `<c>${'f' in cell ? `<f${area}>${cell.f}</f>` : ''}<v>${cell.n}</v></c>`;
}

interface TestSheet {
  name: string;
  rows: readonly (readonly SheetCell[])[];
  isHidden?: boolean;
  /** Such as `A2:A4`. */
  merged?: readonly string[];
}

/** A workbook with these sheets. */
export function workbookOfSheets(sheets: readonly TestSheet[], workbookPr = ''): Buffer {
  const xml = '<?xml version="1.0" encoding="UTF-8"?>';
  const listed = sheets.map(
    ({ name, isHidden }, index) =>
      `<sheet name="${escapeXml(name)}" sheetId="${index + 1}"${isHidden ? ' state="hidden"' : ''} r:id="rId${index + 1}"/>`,
  );
  const related = sheets.map(
    (_, index) => `<Relationship Id="rId${index + 1}" Target="worksheets/sheet${index + 1}.xml"/>`,
  );
  return zipOf([
    {
      name: 'xl/workbook.xml',
      content: `${xml}<workbook xmlns:r="x">${workbookPr}<sheets>${listed.join('')}</sheets></workbook>`,
    },
    { name: 'xl/_rels/workbook.xml.rels', content: `${xml}<Relationships>${related.join('')}</Relationships>` },
    ...sheets.map(({ rows, merged = [] }, index) => {
      const areas = `<mergeCells>${merged.map((area) => `<mergeCell ref="${area}"/>`).join('')}</mergeCells>`;
      const data = rows.map((row, at) => `<row r="${at + 1}">${row.map(cellXml).join('')}</row>`).join('');
      return {
        name: `xl/worksheets/sheet${index + 1}.xml`,
        content: `${xml}<worksheet><sheetData>${data}</sheetData>${areas}</worksheet>`,
      };
    }),
  ]);
}

/** A workbook with one sheet. */
export const workbookOf = (rows: TestSheet['rows'], workbookPr = ''): Buffer =>
  workbookOfSheets([{ name: 'A', rows }], workbookPr);
