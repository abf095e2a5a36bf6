import { printRoyaltyStatement } from '@regie/api/modules/money/royalty-statements/print-statement.service.ts';
import { installedFonts } from '@regie/documents/installed-fonts.ts';
import { prepareDocument } from '@regie/documents/prepare.ts';
import { printDocument, toDefinition } from '@regie/documents/print.ts';
import { royaltyExample } from '@regie/documents/royalty-statement.fixtures.ts';
import { royaltyDocument } from '@regie/documents/royalty-statement.ts';
import pdfMake from 'pdfmake';

const batch = 20;

/** Milliseconds of printing statements by the API's function, and by pdfmake from finished definitions, alternating. */
export async function compareStatementPdfs(accounts: number): Promise<{ printedMs: number; bareMs: number }> {
  const record = royaltyExample({ tracks: 40, stores: 12, others: 3 });
  const prepare = () => prepareDocument(royaltyDocument(record).document, installedFonts);
  const times = { printedMs: 0, bareMs: 0 };
  // Load modules and fonts before measuring.
  await printRoyaltyStatement(record);
  await printDocument(await prepare());
  for (let done = -batch; done < accounts; done += batch) {
    const definitions = [];
    for (let n = 0; n < batch; n += 1) definitions.push(toDefinition(await prepare()));
    const start = performance.now();
    for (let n = 0; n < batch; n += 1) await printRoyaltyStatement(record);
    const between = performance.now();
    for (const definition of definitions) await pdfMake.createPdf(definition).getBuffer();
    if (done < 0) continue;
    times.printedMs += between - start;
    times.bareMs += performance.now() - between;
  }
  return times;
}
