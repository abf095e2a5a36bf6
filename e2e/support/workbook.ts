import { openAsBlob } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Cell } from '@regie/values/cell.ts';
import { openWorkbook } from '@regie/values/workbook.ts';

/** A ZIP of uncompressed files: local headers, directory, end. */
export function zipOf(files: Record<string, string>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const [name, data] = [Buffer.from(path), Buffer.from(text)];
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt32LE(crc32(data), 14);
    local.writeUInt32LE(data.length, 18);
    local.writeUInt32LE(data.length, 22);
    local.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt32LE(crc32(data), 16);
    entry.writeUInt32LE(data.length, 20);
    entry.writeUInt32LE(data.length, 24);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    locals.push(local, name, data);
    directory.push(entry, name);
    offset += local.length + name.length + data.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(index.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, index, end]);
}

type Rows = readonly (readonly (string | number)[])[];

/** A workbook of these sheets, by their names; its numbers are numeric cells, as spreadsheets store digits. */
export function workbookOfSheets(sheets: Record<string, Rows>): Buffer {
  const names = Object.keys(sheets);
  const list = names.map((name, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`);
  const targets = names.map(
    (_, index) => `<Relationship Id="rId${index + 1}" Target="worksheets/sheet${index + 1}.xml"/>`,
  );
  return zipOf({
    'xl/workbook.xml': `<workbook xmlns:r="x"><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${targets.join('')}</Relationships>`,
    ...Object.fromEntries(
      Object.values(sheets).map((rows, index) => [`xl/worksheets/sheet${index + 1}.xml`, sheetOf(rows)]),
    ),
  });
}

function sheetOf(rows: Rows): string {
  const cells = rows.map((row) =>
    row.map((cell) =>
      typeof cell === 'number' ? `<c><v>${cell}</v></c>` : `<c t="inlineStr"><is><t>${cell}</t></is></c>`,
    ),
  );
  return `<worksheet><sheetData>${cells.map((row) => `<row>${row.join('')}</row>`).join('')}</sheetData></worksheet>`;
}

/** The rows of a workbook's first sheet. */
export async function readWorkbook(path: string): Promise<Cell[][]> {
  const workbook = await openWorkbook(await openAsBlob(path), { sharedCharacters: 1_000_000 });
  const rows: Cell[][] = [];
  for await (const batch of workbook.rows()) rows.push(...batch.map(({ cells }) => cells));
  return rows;
}
