import { openAsBlob } from 'node:fs';
import type { Cell } from '@regie/values/cell.ts';
import { openWorkbook } from '@regie/values/workbook.ts';
import { openZip } from '@regie/values/zip.ts';
import { strToU8, zipSync } from 'fflate';

export function zipOf(files: Record<string, string>): Buffer {
  return Buffer.from(zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, strToU8(text)]))));
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
  const workbook = await openWorkbook(openAsBlob(path).then(openZip), { sharedCharacters: 1_000_000 });
  const rows: Cell[][] = [];
  for await (const batch of workbook.rows()) rows.push(...batch.map(({ cells }) => cells));
  return rows;
}
