import type { RoyaltyStatementRow } from '@regie/contract/routes/royalty-statements.ts';
import { formatInteger, formatMonths } from '@regie/values/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { Balance } from '#src/ui/exact.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { selectFilter } from '#src/ui/list/list-filters.tsx';
import { moneyColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { frRoyalty as t } from './royalty.fr.ts';

export const nameOf = ({ Account }: Pick<RoyaltyStatementRow, 'Account'>): string =>
  `${Account.fname} ${Account.lname}`.trim() || `n°\u00a0${formatInteger(Account.id)}`;

export const periodOf = ({ from, to }: Pick<RoyaltyStatementRow, 'from' | 'to'>): string => formatMonths(from, to);

export const accountColumn: ListColumn<Pick<RoyaltyStatementRow, 'Account'>> = {
  key: 'account',
  header: t.column.account,
  cell: (row) => <span className={shared.name}>{nameOf(row)}</span>,
  csv: nameOf,
};

export const periodColumn: ListColumn<RoyaltyStatementRow> = {
  key: 'period',
  header: t.column.period,
  cell: periodOf,
  csv: periodOf,
};

const letterTones = { none: 'neutral', queued: 'info', sent: 'success', failed: 'danger' } as const;

export const letterColumn: ListColumn<RoyaltyStatementRow> = {
  key: 'letter',
  header: t.column.letter,
  cell: ({ letter: { state, failure } }) => (
    <>
      <StatusBadge tone={letterTones[state]}>{t.letter.state[state]}</StatusBadge>
      {failure && <span className={shared.under}>{t.letter.failure[failure]}</span>}
    </>
  ),
  csv: ({ letter: { state, failure } }) => (failure ? t.letter.failure[failure] : t.letter.state[state]),
};

export const letterFilter = selectFilter(t.column.letter, 'letter', t.letter.state);

/** Rounded down to the cent, as on the PDF and the customer's page. */
export const balanceColumn: typeof moneyColumn = (column) => ({
  ...moneyColumn(column),
  cell: (row) => <Balance amount={column.csv(row) ?? 0} />,
});

export const amountColumns: ListColumn<RoyaltyStatementRow>[] = [
  balanceColumn({ key: 'opening', header: t.column.opening, isSecondary: true, csv: (row) => row.openingEur }),
  moneyColumn({
    ...{ key: 'income', header: t.column.income, sort: 'income', isSecondary: true },
    total: fr.list.total,
    csv: (row) => row.incomeEur,
  }),
  balanceColumn({ key: 'closing', header: t.column.closing, sort: 'closing', csv: (row) => row.closingEur }),
];
