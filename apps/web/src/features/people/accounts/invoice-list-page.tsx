import { frAccounts } from './accounts.fr.ts';
import { InvoiceList } from './invoice-list.tsx';

export default function InvoiceListPage() {
  return <InvoiceList id="invoices" title={frAccounts.invoices.allTitle} />;
}
