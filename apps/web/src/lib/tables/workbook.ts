import { messages } from '@regie/contract/messages.ts';
import type { Cell } from '@regie/values/cell.ts';
import { BrokenWorkbook, openWorkbook } from '@regie/values/workbook.ts';
import { fr } from '#src/lib/fr.ts';
import { TableRefusal } from './refusal.ts';

const maxWorkbookBytes = 50 * 1024 * 1024;
const limits = { sharedCharacters: 200_000_000 };

/**
 * The rows of the first visible sheet, in batches; each row ends at its last filled cell.
 * @throws TableRefusal when the file is not a workbook
 */
export async function* workbookRows(file: Blob): AsyncGenerator<Cell[][]> {
  if (file.size > maxWorkbookBytes) throw new TableRefusal(fr.tables.workbookTooLarge('50\u00A0Mo'));
  try {
    const workbook = await openWorkbook(file, limits);
    for await (const rows of workbook.rows()) yield rows.map(({ cells }) => cells);
  } catch (error) {
    if (error instanceof BrokenWorkbook) throw new TableRefusal(`${messages.invalidData}\u00A0: ${fr.tables.workbook}`);
    throw error;
  }
}
