import { messages } from '@regie/contract/messages.ts';
import { cellText } from '@regie/tables/cell.ts';
import { fr } from '#src/fr.ts';
import { unescapeFormula } from '#src/lib/table-file.ts';
import { columnKey, filledRows, openTable, trimHeader } from './reading.ts';
import { TableRefusal } from './refusal.ts';

/** Which names, as `columnKey` writes them, stand for which field. */
export type ColumnNames<Field extends string> = Readonly<Record<Field, readonly string[]>>;

export interface SmallTable<Field extends string> {
  /** One per row that is not blank; a column that the file does not have is an empty text. Values are never typed. */
  rows: Record<Field, string>[];
  /** Columns that are not read, by their own names. */
  ignored: string[];
  /** The fields that the file has a column for. */
  fields: Field[];
}

/**
 * Reads a table that is small enough to be looked at whole: by its column names, never by position; texts stay texts.
 * @throws TableRefusal when it cannot be read, has no known column, one of them twice, no row, or more than `maxRows`
 */
export async function readSmallTable<Field extends string>(
  file: Blob,
  names: ColumnNames<Field>,
  maxRows: number,
): Promise<SmallTable<Field>> {
  const fieldOf = new Map<string, Field>();
  for (const field in names) for (const name of names[field]) fieldOf.set(name, field);
  const findField = (name: string) => fieldOf.get(columnKey(name));
  return openTable(
    file,
    (name) => findField(name) !== undefined,
    async (reading) => {
      let columns: (Field | undefined)[] | undefined;
      let ignored: string[] = [];
      const rows: Record<Field, string>[] = [];
      for await (const batch of filledRows(file, reading)) {
        for (const row of batch) {
          if (columns === undefined) {
            const header = trimHeader(row);
            columns = readColumns(header, findField);
            ignored = header.filter(
              (name, index) => name.trim() !== '' && findField(header[index] ?? '') === undefined,
            );
            continue;
          }
          // Known here to be too many, whatever the file's size.
          if (rows.length === maxRows) throw new TableRefusal(fr.tables.tooManyRows(maxRows));
          const texts = Object.fromEntries(Object.keys(names).map((field) => [field, ''])) as Record<Field, string>;
          for (const [index, field] of columns.entries())
            if (field) texts[field] = unescapeFormula(cellText(row[index])).trim();
          rows.push(texts);
        }
      }
      if (columns === undefined || rows.length === 0) throw new TableRefusal(fr.tables.noRows);
      return { rows, ignored, fields: columns.filter((field) => field !== undefined) };
    },
  );
}

function readColumns<Field>(header: readonly string[], findField: (name: string) => Field | undefined) {
  const fields = header.map(findField);
  const known = fields.filter((field) => field !== undefined);
  if (known.length === 0) throw new TableRefusal(`${messages.invalidData}\u00a0: ${fr.tables.noColumn}`);
  const doubled = fields.findIndex((field, index) => field !== undefined && fields.indexOf(field) !== index);
  if (doubled >= 0) {
    const first = header[fields.indexOf(fields[doubled])] ?? '';
    throw new TableRefusal(fr.tables.doubledColumn(first.trim(), header[doubled]?.trim() ?? ''));
  }
  return fields;
}
