import { Button } from '@mantine/core';
import { IconUser } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { Loading } from '#src/ui/loaded.tsx';
import { NotFound } from '#src/ui/states.tsx';
import { accountName } from './account-labels.ts';
import { profileQuery } from './accounts.api.ts';
import { frAccounts } from './accounts.fr.ts';
import { InvoiceList } from './invoice-list.tsx';

export default function AccountInvoicesPage() {
  const id = useIdParam();
  return id === undefined ? <NotFound /> : <AccountInvoices key={id} id={id} />;
}

function AccountInvoices({ id }: { id: number }) {
  const profile = useQuery(profileQuery(id));
  if (!profile.data) return <Loading query={profile} />;
  return (
    <InvoiceList
      id="account-invoices"
      title={frAccounts.invoices.userTitle(accountName(profile.data))}
      userId={id}
      actions={
        <Button
          renderRoot={(props) => <Link {...props} to={paths.profile(id)} />}
          variant="default"
          leftSection={<IconUser size={16} stroke={1.8} aria-hidden />}
        >
          {frAccounts.billing.toProfile}
        </Button>
      }
    />
  );
}
