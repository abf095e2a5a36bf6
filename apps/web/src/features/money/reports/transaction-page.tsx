import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import type { LedgerTransaction } from '@regie/contract/routes/reports.ts';
import { memoDetail } from '@regie/documents/movement-labels.ts';
import { formatInteger, formatMonth } from '@regie/values/formats.ts';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { AccountLink } from '#src/domain/account-link.tsx';
import { frRecords } from '#src/domain/records.fr.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { parseSearch } from '#src/lib/search-params.ts';
import { useCan } from '#src/lib/session.ts';
import { DateText } from '#src/ui/dates.tsx';
import { Balance, ExactMoney, ExactMoneyCell } from '#src/ui/exact.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { Money } from '#src/ui/money.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import { Facts, RecordPage, Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { NotFound } from '#src/ui/states.tsx';
import { AmountExplanation } from './amount-explanation.tsx';
import { transactionQuery } from './reports.api.ts';
import { frReports } from './reports.fr.ts';

const t = frReports.transaction;
const kinds: Record<string, string | undefined> = t.kinds;

export const prefetch = (client: QueryClient, id: number) => client.prefetchQuery(transactionQuery(id));

export default function TransactionPage() {
  const id = useIdParam();
  const transaction = useQuery({ ...transactionQuery(id ?? 0), enabled: id !== undefined });
  if (id === undefined) return <NotFound />;
  return <Loaded query={transaction}>{(data) => <TransactionView key={id} transaction={data} />}</Loaded>;
}

interface Explained {
  accountId: number;
  name: string;
  amount: number;
  isAsked: boolean;
}

function useExplained(transaction: LedgerTransaction): Explained | undefined {
  const { searchStr: searchText } = usePageLocation();
  if (transaction.importId === null) return undefined;
  const asked = `account:${parseSearch(searchText).compte}`;
  const ofAccounts = transaction.postings.filter((posting) => posting.account.startsWith('account:'));
  const posting = ofAccounts.find(({ account }) => account === asked) ?? ofAccounts[0];
  if (!posting) return undefined;
  const { account, label, amount } = posting;
  return { accountId: idOf(account), name: label, amount, isAsked: account === asked };
}

function ownerOf({ postings }: LedgerTransaction) {
  const owners = new Map(
    postings.flatMap(({ account, label }) => (account.startsWith('account:') ? [[account, label] as const] : [])),
  );
  const [owner] = owners;
  return owners.size === 1 && owner ? { accountId: idOf(owner[0]), name: owner[1] } : undefined;
}

function movementOf({ import: source, kind, postings }: LedgerTransaction, accountId: number): string {
  if (!source) return '';
  const month = formatMonth(source.month);
  const earner = postings.find(({ account }) => account === `account:${source.accountId}`);
  const what =
    earner === undefined || source.accountId === accountId
      ? frReports.why.income(source.type, month)
      : frReports.why.referralOf(earner.label, month);
  return [kind === 'reversal' ? frReports.why.reversal(what) : what, source.fileName].filter(Boolean).join(' – ');
}

const idOf = (account: string) => Number(account.slice(account.indexOf(':') + 1));

function TransactionView({ transaction }: { transaction: LedgerTransaction }) {
  const explained = useExplained(transaction);
  const isAccounts = useCan()('manage_profiles');
  const owner = explained?.isAsked ? explained : ownerOf(transaction);
  const place = owner && {
    parent: isAccounts ? paths.profiles : undefined,
    owner: { id: owner.accountId, name: owner.name },
    trail: [{ label: frScreens.accounts.statement, to: paths.statement(owner.accountId) }],
  };
  const entry = t.title(String(transaction.id));
  const date = <DateText ms={transaction.occurredAt} hasTime />;
  return (
    <RecordPage
      header={
        explained?.isAsked ? (
          <PageHeader
            title={frReports.why.title}
            {...place}
            text={
              <>
                <span className={shared.figure}>
                  <ExactMoney amount={explained.amount} currency="EUR" />
                </span>
                <span className={shared.under}>
                  {[explained.name, movementOf(transaction, explained.accountId)].filter(Boolean).join(' · ')} · {date}
                </span>
              </>
            }
          />
        ) : (
          <PageHeader title={entry} {...place} text={date} />
        )
      }
      side={<Facts title={t.links} facts={factsOf(transaction)} />}
    >
      {explained && (
        <AmountExplanation
          transactionId={transaction.id}
          accountId={explained.accountId}
          title={explained.isAsked ? frReports.why.calculation : `${frReports.why.title} ${explained.name}`}
        />
      )}
      <Section title={explained?.isAsked ? entry : t.postings}>
        <PlainTable name={t.postings} head={[frReports.account, { right: t.amount }, { right: t.balance }]}>
          <tbody>
            {transaction.postings.map((posting) => (
              <tr key={`${posting.account} ${posting.currency}`}>
                <td>
                  <PostingName transaction={transaction} posting={posting} />
                </td>
                <ExactMoneyCell amount={posting.amount} currency={posting.currency} />
                <td data-align="right">
                  {posting.account.startsWith('account:') && posting.currency === 'EUR' ? (
                    <Balance amount={posting.balance} />
                  ) : (
                    <Money amount={posting.balance} currency={posting.currency} />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </PlainTable>
        <p className={shared.under}>{t.balanced}</p>
      </Section>
    </RecordPage>
  );
}

function PostingName({
  transaction: { id, importId },
  posting: { account, label },
}: {
  transaction: LedgerTransaction;
  posting: LedgerTransaction['postings'][number];
}) {
  if (!account.startsWith('account:')) {
    return (
      <span className={shared.name}>
        {account.startsWith('payout:') ? <PayoutLink id={idOf(account)}>{label}</PayoutLink> : label}
      </span>
    );
  }
  if (importId === null)
    return (
      <span className={shared.name}>
        <AccountLink id={idOf(account)}>{label}</AccountLink>
      </span>
    );
  return (
    <Link
      className={`${shared.name} ${shared.link}`}
      to={paths.transaction(id)}
      search={{ compte: String(idOf(account)) }}
    >
      {label}
    </Link>
  );
}

function PayoutLink({ id, children }: { id: number; children: string }) {
  const can = useCan();
  if (!can('edit_pending_payout') && !can('edit_paid_payout')) return children;
  return (
    <Link className={shared.link} to={paths.payout(id)}>
      {children}
    </Link>
  );
}

function TransactionLinks({ ids }: { ids: number[] }) {
  return ids.map((id) => (
    <div key={id}>
      <Link className={shared.link} to={paths.transaction(id)}>
        {t.title(String(id))}
      </Link>
    </div>
  ));
}

const factsOf = (transaction: LedgerTransaction) => [
  { label: t.kind, value: kinds[transaction.kind] ?? transaction.kind },
  {
    label: t.kinds.payout,
    value: transaction.payoutId !== null && (
      <PayoutLink id={transaction.payoutId}>{formatPayoutNumber(transaction.payoutId)}</PayoutLink>
    ),
  },
  { label: frRecords.memo, value: memoDetail(transaction) },
  { label: t.admin, value: transaction.admin ?? fr.common.system },
  {
    label: frReports.column.import,
    value:
      transaction.importId === null ? undefined : (
        <Link className={shared.link} to={paths.import(transaction.importId)}>
          {frRecords.importNumber(formatInteger(transaction.importId))}
        </Link>
      ),
  },
  {
    label: t.reverses,
    value: transaction.reverses === null ? undefined : <TransactionLinks ids={[transaction.reverses]} />,
  },
  {
    label: t.reversedBy,
    value: transaction.reversedBy.length === 0 ? undefined : <TransactionLinks ids={transaction.reversedBy} />,
  },
];
