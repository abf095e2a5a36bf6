import { useState } from 'react';
import { frAccounts } from '#src/fr-accounts.ts';
import { useHistoryState } from '#src/lib/history-state.ts';
import { Notice } from '#src/ui/alerts.tsx';
import classes from './accounts.module.css';
import { InvoiceList } from './invoice-list.tsx';

export default function InvoiceListPage() {
  const { problem } = useHistoryState();
  const [dismissed, setDismissed] = useState<string>();
  return (
    <>
      {problem && problem !== dismissed && (
        <div className={classes.notices}>
          <Notice tone="error" onDismiss={() => setDismissed(problem)}>
            {problem}
          </Notice>
        </div>
      )}
      <InvoiceList id="invoices" title={frAccounts.invoices.allTitle} />
    </>
  );
}
