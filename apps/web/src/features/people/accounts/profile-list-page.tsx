import { Button, Group } from '@mantine/core';
import type { AccountSummary } from '@regie/contract/routes/accounts.ts';
import { routes } from '@regie/contract/routes.ts';
import { vatRegimes } from '@regie/contract/state-names.ts';
import { splitBalance } from '@regie/values/formats.ts';
import { IconFileImport, IconPlus } from '@tabler/icons-react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { useAsked } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Balance } from '#src/ui/exact.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { type ListFilter, selectFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { moneyColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { type AccountTone, accountName, accountTone } from './account-labels.ts';
import { AccountToneBadge, toneByAccountTone } from './account-tone.tsx';
import { frAccounts } from './accounts.fr.ts';
import { CompanyImportModal } from './company-import-modal.tsx';

const t = frAccounts.list;

const columns: ListColumn<AccountSummary>[] = [
  {
    key: 'id',
    header: t.column.id,
    sort: 'id',
    width: '1%',
    align: 'right',
    isTableOnly: true,
    cell: (account) => <span className="figures">{account.id}</span>,
    csv: (account) => account.id,
  },
  {
    key: 'lname',
    header: t.column.name,
    isIdentity: true,
    sort: 'name',
    width: '34%',
    cell: (account) => {
      const tone = accountTone(account);
      return (
        <>
          <Group component="span" display="inline-flex" gap="4px 8px">
            <span data-table-only className={shared.name}>
              {[account.lname, account.fname].filter(Boolean).join(' ') || fr.common.none}
            </span>
            <span data-card-only className={shared.name}>
              {accountName(account)}
            </span>
            {tone && <AccountToneBadge tone={tone} />}
          </Group>
          {account.company && (
            <span className={shared.under} data-table-only>
              {account.company}
            </span>
          )}
        </>
      );
    },
  },
  { key: 'lastName', header: t.column.lname, csv: (account) => account.lname },
  { key: 'fname', header: t.column.fname, csv: (account) => account.fname },
  {
    key: 'email',
    header: t.column.email,
    width: '34%',
    cell: (account) => (
      <span className={shared.oneLine}>
        {/* Beside a name, a card has no room for it. */}
        {account.company && <span data-card-only>{account.company} · </span>}
        {account.email ?? fr.common.none}
      </span>
    ),
    csv: (account) => account.email,
  },
  moneyColumn({
    key: 'balance',
    header: t.column.balance,
    total: t.balanceTotal,
    cell: (account) => <Balance amount={account.income} />,
    csv: (account) => splitBalance(account.income).payable,
  }),
  { key: 'company', header: t.column.company, csv: (account) => account.company },
  { key: 'role', header: t.column.role, csv: (account) => frAccounts.role[account.role] },
  { key: 'state', header: t.column.state, csv: (account) => frAccounts.state[account.state] },
  {
    key: 'subscription',
    header: t.column.subscription,
    csv: (account) => (account.hasLabelSubscription ? fr.common.yes : fr.common.no),
  },
  { key: 'tax', header: t.column.tax, csv: (account) => account.tax },
  { key: 'siren', type: 'text', header: t.column.siren, csv: (account) => account.siren },
  { key: 'electronicAddress', type: 'text', header: t.column.electronicAddress, csv: (one) => one.electronicAddress },
  { key: 'vatRegime', header: t.column.vatRegime, csv: ({ vatRegime }) => vatRegime && vatRegimes[vatRegime] },
];

const filters: ListFilter[] = [
  selectFilter(t.filter.role, 'role', frAccounts.role, ['CUSTOMER', 'LABEL']),
  selectFilter(t.filter.state, 'state', frAccounts.state, ['ENABLED', 'HOLD', 'DISABLED']),
  selectFilter(t.filter.subscription, 'subscription', { label: t.withSubscription, none: t.withoutSubscription }),
  selectFilter(t.filter.siren, 'siren', { missing: t.withoutSiren }),
];

const tones = Object.keys(t.tone) as AccountTone[];

const legend = (
  <Group component="ul" gap={8} mb={14} aria-label={t.legend}>
    {tones.map((tone) => (
      <li key={tone}>
        <AccountToneBadge tone={tone} />
      </li>
    ))}
  </Group>
);

/** All accounts (product §22.4); rows are coloured by state, role and label subscription. */
export default function ProfileListPage() {
  const can = useCan();
  const canManage = can('manage_profiles');
  const { ask: askImport, dialog: importing } = useAsked<void>();
  const add = canManage && (
    <LinkButton to={paths.newProfile} leftSection={buttonIcon(IconPlus)}>
      {frScreens.accounts.newCrumb}
    </LinkButton>
  );
  return (
    <ListPage
      title={frScreens.accounts.title}
      route={routes.listProfiles}
      rows={(data) => data.accounts}
      columns={columns}
      rowName={accountName}
      rowLink={canManage ? (account) => ({ to: paths.profile(account.id) }) : undefined}
      rowTone={(account) => {
        const tone = accountTone(account);
        return tone && toneByAccountTone[tone];
      }}
      searchPlaceholder={t.searchPlaceholder}
      filters={filters}
      intro={legend}
      defaultSort={{ key: 'name', order: 'asc' }}
      exportName="comptes"
      actions={
        canManage && (
          <>
            <Button variant="default" leftSection={buttonIcon(IconFileImport)} onClick={() => askImport()}>
              {frAccounts.companyImport.button}
            </Button>
            {add}
            <CompanyImportModal {...importing} />
          </>
        )
      }
      empty={{ title: t.emptyTitle, text: t.emptyText, action: add }}
    />
  );
}
