import { type ColumnNames, fieldFinder } from '@regie/contract/columns.ts';
import { messages } from '@regie/contract/messages.ts';
import { cellText } from '@regie/values/cell.ts';
import { fr } from '#src/lib/fr.ts';
import { unescapeFormula } from '#src/lib/table-file.ts';
import { filledRows, openTable, trimHeader } from './reading.ts';
import { TableRefusal } from './refusal.ts';

export interface SmallTable<Field extends string> {
  rows: Record<Field, string>[];
  notes: string[];
  fields: Field[];
}

/** By column names, never by position; values stay text. @throws TableRefusal when the table cannot be imported */
export async function readSmallTable<Field extends string>(
  file: Blob,
  names: ColumnNames<Field>,
  maxRows: number,
  sheet?: string,
): Promise<SmallTable<Field>> {
  const findField = fieldFinder(names);
  const kindOf = (name: string) => (findField(name) === undefined ? undefined : 'text');
  return openTable(
    file,
    kindOf,
    async (reading) => {
      let columns: (Field | undefined)[] | undefined;
      let ignored: string[] = [];
      const rows: Record<Field, string>[] = [];
      for await (const batch of filledRows(file, reading, kindOf)) {
        for (const row of batch) {
          if (columns === undefined) {
            const header = trimHeader(row);
            columns = readColumns(header, findField);
            ignored = header.filter(
              (name, index) => name.trim() !== '' && findField(header[index] ?? '') === undefined,
            );
            continue;
          }
          // Too many already, whatever the rest of the file.
          if (rows.length === maxRows) throw new TableRefusal(fr.tables.tooManyRows(maxRows));
          const texts = Object.fromEntries(Object.keys(names).map((field) => [field, ''])) as Record<Field, string>;
          for (const [index, field] of columns.entries())
            if (field) texts[field] = unescapeFormula(cellText(row[index])).trim();
          rows.push(texts);
        }
      }
      if (columns === undefined || rows.length === 0) throw new TableRefusal(fr.tables.noRows);
      const notes = [...reading.notes, ...(ignored.length > 0 ? [messages.columnsIgnored(ignored)] : [])];
      return { rows, notes, fields: columns.filter((field) => field !== undefined) };
    },
    sheet,
  );
}

function readColumns<Field>(header: readonly string[], findField: (name: string) => Field | undefined) {
  const fields = header.map(findField);
  const mapped = fields.filter((field) => field !== undefined);
  if (mapped.length === 0) throw new TableRefusal(`${messages.invalidData}\u00a0: ${fr.tables.noColumn}`);
  const doubled = fields.findIndex((field, index) => field !== undefined && fields.indexOf(field) !== index);
  if (doubled >= 0) {
    const first = header[fields.indexOf(fields[doubled])] ?? '';
    throw new TableRefusal(fr.tables.doubledColumn(first.trim(), header[doubled]?.trim() ?? ''));
  }
  return fields;
}
