import { Button, Group, Stack } from '@mantine/core';
import { routes } from '@regie/contract/routes.ts';
import { frDocuments } from '@regie/documents/documents.fr.ts';
import { formatMonth } from '@regie/values/formats.ts';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { type DialogState, useAsked } from '#src/lib/asked.ts';
import { downloadBlob } from '#src/lib/download.ts';
import { runWork } from '#src/lib/run-work.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { readList } from '#src/ui/list/list-export.ts';
import { MonthField } from '#src/ui/month-field.tsx';
import shared from '#src/ui/shared.module.css';
import { frAccounts } from './accounts.fr.ts';

const t = { ...frAccounts.invoices.month, ...frDocuments.facturX };

export function MonthInvoices() {
  const { ask, dialog } = useAsked<void>();
  return (
    <>
      <Button variant="default" leftSection={buttonIcon(IconDownload)} onClick={() => ask()}>
        {t.button}
      </Button>
      <MonthModal {...dialog} />
    </>
  );
}

function MonthModal(dialog: DialogState) {
  const [month, setMonth] = useState(() => monthToMs(addMonths(monthOfInstant(Date.now()), -1)));
  return (
    <Dialog {...dialog} title={t.button} size="md">
      <Stack>
        <p className={shared.note}>{t.hint}</p>
        <MonthField label={t.label} value={month} onChange={(next) => next !== undefined && setMonth(next)} required />
        <Group justify="flex-end">
          <CancelButton />
          <Button
            onClick={() => {
              dialog.onClose();
              void downloadMonth(month);
            }}
          >
            {t.download}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

/** A ZIP of the documents issued in the month; those that lack something are listed in a text file. */
function downloadMonth(monthMs: number): Promise<void> {
  const month = monthOfInstant(monthMs);
  return runWork({ title: t.work(formatMonth(monthMs)), unit: t.documents }, async (signal, onProgress) => {
    const [{ openPrinter }, { invoiceFile }, { documentsOf }, { strToU8, zipSync }] = await Promise.all([
      import('#src/lib/pdf.ts'),
      import('@regie/documents/factur-x.ts'),
      import('@regie/documents/invoice.ts'),
      import('fflate'),
    ]);
    const files: Record<string, Uint8Array> = {};
    const leftOut: string[] = [];
    const printer = openPrinter();
    try {
      for await (const { data: invoices } of readList(routes.listIssuedInvoices, { month: monthMs }, signal)) {
        for (const invoice of invoices) {
          for (const issued of documentsOf(invoice)) {
            if (issued.issuedAt === null || monthOfInstant(issued.issuedAt) !== month) continue;
            signal.throwIfAborted();
            const { document, fileName, missing } = invoiceFile(invoice, issued);
            if (missing.length > 0) leftOut.push(t.leftOutLine(document.title, missing.join(', ')));
            else files[fileName] = new Uint8Array(await (await printer.print(document)).arrayBuffer());
            onProgress({ done: Object.keys(files).length + leftOut.length });
          }
        }
      }
    } finally {
      printer.close();
    }
    const count = Object.keys(files).length;
    if (leftOut.length > 0) files[t.leftOut] = strToU8(`${leftOut.join('\r\n')}\r\n`);
    if (count + leftOut.length > 0) {
      // PDFs are compressed already.
      downloadBlob(
        new Blob([new Uint8Array(zipSync(files, { level: 0 }))], { type: 'application/zip' }),
        t.archive(month),
      );
    }
    return { state: leftOut.length > 0 ? 'attention' : 'done', result: t.done(count, leftOut.length) };
  });
}
