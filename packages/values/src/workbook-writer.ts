import { strToU8, Zip, ZipPassThrough } from 'fflate';
import { columnName } from './cell.ts';

/**
 * Writes an .xlsx workbook of one sheet row by row, deflated by the platform off the page's thread: only the deflated
 * sheet is held in memory.
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

/** A file of the archive, deflated by the platform off the page's thread. */
class DeflatedPart extends ZipPassThrough {
  override compression = 8;
  // The first day that a ZIP knows: the same rows make the same file.
  override mtime = new Date(1980, 0, 1);
  readonly #deflate = new CompressionStream('deflate-raw');
  readonly #writer = this.#deflate.writable.getWriter();
  readonly #deflated = this.#deflate.readable.pipeTo(
    new WritableStream<Uint8Array<ArrayBuffer>>({
      write: (piece) => this.ondata(null, piece, false),
      close: () => this.ondata(null, new Uint8Array(), true),
    }),
  );

  async write(text: string): Promise<void> {
    await this.#writer.ready;
    this.push(strToU8(text));
  }

  async finish(text: string): Promise<void> {
    this.push(strToU8(text), true);
    await this.#writer.close();
    await this.#deflated;
  }

  protected override process(bytes: Uint8Array<ArrayBuffer>): void {
    void this.#writer.write(bytes);
  }
}

export class WorkbookWriter {
  readonly #columns: readonly (WrittenColumn & { name: string })[];
  readonly #sheetName: string;
  readonly #pieces: Uint8Array<ArrayBuffer>[] = [];
  readonly #zip = new Zip((error, piece) => {
    if (error) throw error;
    this.#pieces.push(piece);
  });
  readonly #sheet = new DeflatedPart('xl/worksheets/sheet1.xml');
  #rowCount = 0;

  constructor(sheetName: string, columns: readonly WrittenColumn[]) {
    this.#sheetName = toSheetName(sheetName);
    this.#columns = columns.map((column, index) => ({ ...column, name: columnName(index) }));
  }

  /** The first rows settle how wide the columns are. @throws RangeError beyond what a sheet holds */
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
    await this.#sheet.finish(
      `</sheetData><ignoredErrors><ignoredError sqref="A1:${last}${this.#rowCount}" numberStoredAsText="1"/></ignoredErrors></worksheet>`,
    );
    this.#zip.end();
    return new Blob(this.#pieces, { type: `${contentType}.sheet` });
  }

  async #begin(rows: readonly (readonly WrittenCell[])[]): Promise<void> {
    const others = {
      '[Content_Types].xml': contentTypes,
      '_rels/.rels': packageRelations,
      'xl/workbook.xml': workbookXml(this.#sheetName),
      'xl/_rels/workbook.xml.rels': workbookRelations,
      'xl/styles.xml': styles,
    };
    for (const [name, text] of Object.entries(others)) {
      const part = new DeflatedPart(name);
      this.#zip.add(part);
      await part.finish(text);
    }
    this.#zip.add(this.#sheet);
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
