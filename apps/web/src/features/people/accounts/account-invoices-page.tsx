import { frScreens } from '#src/app/screens.fr.ts';
import { AccountTab } from './account-tab.tsx';
import { InvoiceList } from './invoice-list.tsx';

export default function AccountInvoicesPage() {
  return (
    <AccountTab>
      {({ id }) => <InvoiceList id="account-invoices" title={frScreens.accounts.invoices} userId={id} />}
    </AccountTab>
  );
}
