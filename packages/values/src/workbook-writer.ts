import { columnName } from './cell.ts';
import { addToSum, endSignature, entrySignature, localSignature } from './zip.ts';

/**
 * Writes an .xlsx workbook of one sheet row by row, the counterpart of `workbook.ts`: the platform deflates
 * (`CompressionStream`, off the page's thread), and only the deflated sheet is held in memory.
 */
export type CellFormat = 'text' | 'number' | 'money' | 'day' | 'month' | 'moment';

/** Text, never run as a formula; a number; or nothing. A date is its serial number: days since 30 December 1899. */
export type WrittenCell = string | number | null;

export interface WrittenColumn {
  header: string;
  /** Of the column's numbers; text is text in any column. */
  format: CellFormat;
}

/** What a spreadsheet opens, the header included. */
export const maxSheetRows = 1_048_576;
const maxCellCharacters = 32_767;
const narrowest = 8;
const widest = 60;
/** Room for `1 234 567,89`, `31/12/2026 23:59` and their like. */
const formatWidths: Record<CellFormat, number> = { text: 0, number: 0, money: 14, day: 11, month: 9, moment: 17 };

/** The order of `cellXfs` in `styles`. */
const styleOf: Record<CellFormat, number> = { number: 0, text: 1, money: 2, day: 3, month: 4, moment: 5 };
const headerStyle = 6;

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageTypes = 'http://schemas.openxmlformats.org/package/2006';
const contentType = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const styles = `${declaration}<styleSheet xmlns="${main}"><numFmts count="3"><numFmt numFmtId="164" formatCode="dd/mm/yyyy"/><numFmt numFmtId="165" formatCode="yyyy\\-mm"/><numFmt numFmtId="166" formatCode="dd/mm/yyyy\\ hh:mm"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="7">${[
  ...['0', '49', '4', '164', '165', '166'].map(
    (format) => `<xf numFmtId="${format}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>`,
  ),
  '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>',
].join('')}</cellXfs></styleSheet>`;

const contentTypes = `${declaration}<Types xmlns="${packageTypes}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${contentType}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${contentType}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${contentType}.styles+xml"/></Types>`;
const packageRelations = `${declaration}<Relationships xmlns="${packageTypes}/relationships"><Relationship Id="rId1" Type="${relationships}/officeDocument" Target="xl/workbook.xml"/></Relationships>`;
const workbookRelations = `${declaration}<Relationships xmlns="${packageTypes}/relationships"><Relationship Id="rId1" Type="${relationships}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relationships}/styles" Target="styles.xml"/></Relationships>`;
const workbookXml = (sheetName: string) =>
  `${declaration}<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets><sheet name="${escapeXml(sheetName)}" sheetId="1" r:id="rId1"/></sheets></workbook>`;

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Characters that XML lacks are written `_x0001_`, and text that reads so keeps its first underscore as `_x005F_`. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
    .replace(/[&<>"]/g, (sign) => escapes[sign] ?? sign)
    .replace(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML does not have
      /[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g,
      (sign) => `_x${sign.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}_`,
    );
}

/** A sheet's name has at most 31 characters, none of `: \ / ? * [ ]`, and no apostrophe around it. */
function toSheetName(name: string): string {
  return (
    name
      .replaceAll(/[:\\/?*[\]]/g, ' ')
      .slice(0, 31)
      .replaceAll(/^['\s]+|['\s]+$/g, '') || 'Feuille 1'
  );
}

type Piece = ArrayBuffer | Uint8Array<ArrayBuffer> | Blob;

interface Part {
  name: string;
  header: Uint8Array<ArrayBuffer>;
  content: Blob;
}

/** Deflates one file of the archive as it is written. */
class PartWriter {
  readonly #name: string;
  readonly #encoder = new TextEncoder();
  readonly #deflate = new CompressionStream('deflate-raw');
  readonly #writer = this.#deflate.writable.getWriter();
  readonly #content = new Response(this.#deflate.readable).blob();
  #sum = -1;
  #size = 0;

  constructor(name: string) {
    this.#name = name;
  }

  async write(text: string): Promise<void> {
    const bytes = this.#encoder.encode(text);
    this.#sum = addToSum(this.#sum, bytes);
    this.#size += bytes.length;
    await this.#writer.ready;
    await this.#writer.write(bytes);
  }

  /** The file, with the fields that its entries in the archive have in common. */
  async finish(): Promise<Part> {
    await this.#writer.close();
    const content = await this.#content;
    const header = new DataView(new ArrayBuffer(26));
    header.setUint16(0, 20, true);
    // Names are UTF-8.
    header.setUint16(2, 0x0800, true);
    header.setUint16(4, 8, true);
    // 1 January 1980, the first day that a ZIP knows: the same rows make the same file.
    header.setUint16(8, 0x21, true);
    header.setUint32(10, ~this.#sum >>> 0, true);
    header.setUint32(14, content.size, true);
    header.setUint32(18, this.#size, true);
    header.setUint16(22, this.#encoder.encode(this.#name).length, true);
    return { name: this.#name, header: new Uint8Array(header.buffer), content };
  }
}

const numberBytes = (bytes: number, values: readonly (readonly [at: number, size: 2 | 4, value: number])[]) => {
  const view = new DataView(new ArrayBuffer(bytes));
  for (const [at, size, value] of values) {
    if (size === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
  }
  return view.buffer;
};

function zip(parts: readonly Part[]): Blob {
  const files: Piece[] = [];
  const directory: Piece[] = [];
  let offset = 0;
  let directorySize = 0;
  for (const { name, header, content } of parts) {
    const nameBytes = new TextEncoder().encode(name);
    files.push(numberBytes(4, [[0, 4, localSignature]]), header, nameBytes, content);
    const start = numberBytes(6, [
      [0, 4, entrySignature],
      [4, 2, 20],
    ]);
    directory.push(start, header, numberBytes(14, [[10, 4, offset]]), nameBytes);
    directorySize += 46 + nameBytes.length;
    offset += 30 + nameBytes.length + content.size;
  }
  const end = numberBytes(22, [
    [0, 4, endSignature],
    [8, 2, parts.length],
    [10, 2, parts.length],
    [12, 4, directorySize],
    [16, 4, offset],
  ]);
  return new Blob([...files, ...directory, end], { type: `${contentType}.sheet` });
}

export class WorkbookWriter {
  readonly #columns: readonly (WrittenColumn & { name: string })[];
  readonly #sheetName: string;
  readonly #sheet = new PartWriter('xl/worksheets/sheet1.xml');
  #rowCount = 0;

  constructor(sheetName: string, columns: readonly WrittenColumn[]) {
    this.#sheetName = toSheetName(sheetName);
    this.#columns = columns.map((column, index) => ({ ...column, name: columnName(index) }));
  }

  /**
   * Adds rows; the first ones settle how wide the columns are.
   * @throws RangeError beyond what a sheet holds
   */
  async add(rows: readonly (readonly WrittenCell[])[]): Promise<void> {
    if (this.#rowCount === 0) await this.#begin(rows);
    if (this.#rowCount + rows.length > maxSheetRows) throw new RangeError('too many rows for a sheet');
    await this.#sheet.write(rows.map((row) => this.#row(row)).join(''));
  }

  /** The workbook, after its last row. */
  async finish(): Promise<Blob> {
    if (this.#rowCount === 0) await this.#begin([]);
    const last = this.#columns.at(-1)?.name ?? 'A';
    // Codes are digits kept as text on purpose: no warning triangle beside each.
    await this.#sheet.write(
      `</sheetData><ignoredErrors><ignoredError sqref="A1:${last}${this.#rowCount}" numberStoredAsText="1"/></ignoredErrors></worksheet>`,
    );
    const others = {
      '[Content_Types].xml': contentTypes,
      '_rels/.rels': packageRelations,
      'xl/workbook.xml': workbookXml(this.#sheetName),
      'xl/_rels/workbook.xml.rels': workbookRelations,
      'xl/styles.xml': styles,
    };
    const parts = Object.entries(others).map(async ([name, text]) => {
      const part = new PartWriter(name);
      await part.write(text);
      return part.finish();
    });
    return zip([...(await Promise.all(parts)), await this.#sheet.finish()]);
  }

  async #begin(rows: readonly (readonly WrittenCell[])[]): Promise<void> {
    const columns = this.#columns.map(({ header, format }, index) => {
      const longest = rows.reduce((most, row) => Math.max(most, textWidth(row[index])), header.length);
      const width = Math.min(widest, Math.max(narrowest, formatWidths[format], longest) + 2);
      return `<col min="${index + 1}" max="${index + 1}" width="${width}" style="${styleOf[format]}" customWidth="1"/>`;
    });
    await this.#sheet.write(
      `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>${columns.length > 0 ? `<cols>${columns.join('')}</cols>` : ''}<sheetData>`,
    );
    await this.#sheet.write(this.#row(this.#columns.map(({ header }) => header)));
  }

  #row(cells: readonly WrittenCell[]): string {
    this.#rowCount += 1;
    const isHeader = this.#rowCount === 1;
    let xml = `<row r="${this.#rowCount}">`;
    for (const [index, { name, format }] of this.#columns.entries()) {
      const cell = cells[index];
      const at = `${name}${this.#rowCount}`;
      if (typeof cell === 'number' && Number.isFinite(cell)) {
        xml += `<c r="${at}" s="${styleOf[format === 'text' ? 'number' : format]}"><v>${cell}</v></c>`;
      } else if (typeof cell === 'string' && cell !== '') {
        const text = escapeXml(cell.slice(0, maxCellCharacters));
        const style = isHeader ? headerStyle : styleOf.text;
        xml += `<c r="${at}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
      }
    }
    return `${xml}</row>`;
  }
}

/** Of a text its longest line; of a number its digits. */
function textWidth(cell: WrittenCell | undefined): number {
  if (typeof cell === 'number') return String(cell).length;
  return Math.max(0, ...(cell ?? '').split('\n').map((line) => line.length));
}
