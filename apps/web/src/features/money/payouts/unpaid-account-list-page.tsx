import { Button } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import { payoutMessages } from '@regie/contract/payouts.ts';
import type { UnpaidAccount } from '@regie/contract/routes/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatMoney, splitBalance, sumAmounts } from '@regie/values/formats.ts';
import { IconExternalLink, IconSend } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { stateTones } from '#src/domain/state-tones.ts';
import { api } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { Balance } from '#src/ui/exact.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { type ListFilter, selectFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { Money } from '#src/ui/money.tsx';
import { ReasonList } from '#src/ui/reason-list.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { SuccessWithLink } from '#src/ui/success-with-link.tsx';
import { PayEveryoneLink } from './create-batch.tsx';
import { frPayouts } from './payouts.fr.ts';
import { RequestForm } from './request-form.tsx';

const t = frPayouts.unpaid;
const nameOf = (account: UnpaidAccount) => `${account.fname} ${account.lname}`.trim();

const columns: ListColumn<UnpaidAccount>[] = [
  {
    key: 'name',
    header: t.name,
    width: '17%',
    cell: (account) => <span className={`${shared.name} ${shared.oneLine}`}>{nameOf(account)}</span>,
    csv: nameOf,
  },
  {
    key: 'email',
    header: frPayouts.column.email,
    width: '22%',
    cell: (account) => <span className={shared.oneLine}>{account.email ?? fr.common.none}</span>,
    csv: (account) => account.email,
  },
  {
    key: 'income',
    header: t.income,
    total: t.incomeTotal,
    align: 'right',
    sort: 'income',
    cell: (account) => <Balance amount={account.income} />,
    type: 'money',
    csv: (account) => splitBalance(account.income).payable,
  },
  {
    key: 'role',
    header: t.role,
    isTableOnly: true,
    cell: (account) => <StatusBadge tone="neutral">{t.roles[account.role]}</StatusBadge>,
    csv: (account) => t.roles[account.role],
  },
  {
    key: 'state',
    header: frPayouts.column.state,
    cell: (account) => {
      if (account.state !== 'ENABLED') {
        return (
          <>
            <StatusBadge tone={stateTones.account[account.state]}>{messages.accountDisabled}</StatusBadge>
            {account.state === 'HOLD' && (
              <span data-table-only className={shared.under}>
                {frPayouts.accountState.HOLD}
              </span>
            )}
          </>
        );
      }
      if (!account.hasBilling) return <StatusBadge tone="warning">{t.noBilling}</StatusBadge>;
      if (account.obstacle) return <Obstacle text={account.obstacle} />;
      return account.pendingAmount > 0 ? t.pendingToo(formatMoney(account.pendingAmount, 'EUR')) : fr.common.none;
    },
    csv: obstacleOf,
  },
  { key: 'pending', header: t.pending, type: 'money', unit: 'EUR', csv: (account) => account.pendingAmount || null },
  {
    key: 'profile',
    header: t.profile,
    isHeaderHidden: true,
    isTableOnly: true,
    cell: (account) => <ProfileLink account={account} />,
  },
];

function Obstacle({ text }: { text: string }) {
  const isChoice = text === payoutMessages.severalAccounts;
  return (
    <span title={text}>
      <StatusBadge tone={isChoice ? 'warning' : 'neutral'}>
        {isChoice ? t.billingToChoose : t.balanceTooSmall}
      </StatusBadge>
    </span>
  );
}

function ProfileLink({ account }: { account: UnpaidAccount }) {
  const can = useCan();
  if (!can('manage_profiles')) return fr.common.none;
  return (
    <Link
      className={`${shared.link} ${shared.nowrap}`}
      to={paths.profile(account.id)}
      aria-label={t.openProfile(nameOf(account))}
    >
      {t.profile} <IconExternalLink size={13} stroke={1.8} aria-hidden />
    </Link>
  );
}

const filters: ListFilter[] = [
  selectFilter(t.role, 'role', t.roles, ['LABEL', 'CUSTOMER']),
  selectFilter(frPayouts.column.state, 'state', frPayouts.accountState, ['ENABLED', 'HOLD', 'DISABLED']),
];

interface Outcome {
  tone: 'success' | 'error';
  text: ReactNode;
  skipped: readonly { userId: number; name: string; amountEur: number; reason: string }[];
}

export default function UnpaidAccountListPage() {
  const can = useCan();
  const { subject: selected, ask, dialog } = useAsked<UnpaidAccount>();
  const [outcome, setOutcome] = useState<Outcome>();
  const queryClient = useQueryClient();
  const canRequest = can('edit_pending_payout');
  return (
    <>
      <ListPage
        title={t.title}
        route={routes.listUnpaidAccounts}
        columns={columns}
        rowName={nameOf}
        rowLink={can('manage_profiles') ? (account) => ({ to: paths.profile(account.id) }) : undefined}
        searchPlaceholder={t.search}
        filters={filters}
        defaultSort={{ key: 'income', order: 'desc' }}
        empty={{ title: t.emptyTitle, text: t.emptyText }}
        actions={canRequest && can('read_pending_payout') ? <PayEveryoneLink /> : undefined}
        rowActions={
          canRequest
            ? (account) =>
                account.state === 'ENABLED' &&
                account.hasBilling && (
                  <Button
                    variant="default"
                    size="compact-sm"
                    aria-label={t.requestFor(nameOf(account))}
                    {...disabledFor(account)}
                    onClick={() => ask(account)}
                  >
                    {t.requestShort}
                  </Button>
                )
            : undefined
        }
        selection={
          canRequest
            ? (rows, clear) => (
                <>
                  <Money amount={payableTotal(rows.filter((row) => obstacleOf(row) === undefined))} currency="EUR" />
                  <RequestSelected
                    accounts={rows}
                    onDone={(done) => {
                      clear();
                      setOutcome(done);
                    }}
                  />
                </>
              )
            : undefined
        }
        intro={
          outcome && (
            <Notice tone={outcome.tone} onDismiss={() => setOutcome(undefined)}>
              {outcome.text}
              {outcome.skipped.length > 0 && (
                <>
                  {' '}
                  {t.skipped}
                  <ReasonList items={outcome.skipped.map(({ userId, ...rest }) => ({ id: userId, ...rest }))} />
                </>
              )}
            </Notice>
          )
        }
      />
      <Dialog {...dialog} title={frPayouts.request.of(selected ? nameOf(selected) : '')} size="md">
        {selected && (
          <RequestForm
            key={selected.id}
            accountId={selected.id}
            onDone={({ payoutId, message }) => {
              dialog.onClose();
              setOutcome({
                tone: 'success',
                text: (
                  <SuccessWithLink to={paths.payout(payoutId)} label={frPayouts.request.see}>
                    {message}
                  </SuccessWithLink>
                ),
                skipped: [],
              });
              void queryClient.invalidateQueries();
            }}
          />
        )}
      </Dialog>
    </>
  );
}

function obstacleOf({ state, hasBilling, obstacle }: UnpaidAccount): string | undefined {
  if (state !== 'ENABLED') return messages.accountDisabled;
  return hasBilling ? (obstacle ?? undefined) : t.noBilling;
}

/** A missing destination can be chosen in the dialog; a balance that is too small cannot be requested. */
const disabledFor = ({ obstacle }: UnpaidAccount) =>
  obstacle === null || obstacle === payoutMessages.severalAccounts ? {} : { disabled: true, title: obstacle };

const payableTotal = (accounts: readonly UnpaidAccount[]) =>
  sumAmounts(accounts.map((account) => splitBalance(account.income).payable));

function RequestSelected({
  accounts,
  onDone,
}: {
  accounts: readonly UnpaidAccount[];
  onDone: (done: Outcome) => void;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const payable = accounts.filter((account) => obstacleOf(account) === undefined);
  const leftOut = accounts.filter((account) => obstacleOf(account) !== undefined);
  const users = payable.map((account) => account.id);
  const request = async (options: { idempotencyKey: string }) => {
    const { data } = await api(routes.requestBalances, { body: { users }, ...options });
    const sum = sumAmounts(data.requested.map((one) => one.amount));
    onDone({
      tone: data.requested.length > 0 ? 'success' : 'error',
      text: t.requested(data.requested.length, formatMoney(sum, 'EUR')),
      skipped: data.skipped,
    });
  };
  if (payable.length === 0) return <span>{t.noOneToPay}</span>;
  return (
    <>
      <Button size="compact-sm" leftSection={buttonIcon(IconSend, 14)} onClick={() => setIsOpen(true)}>
        {t.requestSelected(t.payouts(payable.length))}
      </Button>
      <ConfirmModal
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        name={t.requestName(t.accounts(payable.length))}
        consequence={
          <>
            {t.requestConsequence(formatMoney(payableTotal(payable), 'EUR'))}
            {leftOut.length > 0 && (
              <>
                {' '}
                {t.leftOut(t.accounts(leftOut.length))}
                <ReasonList
                  items={leftOut.map((account) => ({
                    id: account.id,
                    name: nameOf(account),
                    amountEur: splitBalance(account.income).payable,
                    reason: obstacleOf(account),
                  }))}
                />
              </>
            )}
          </>
        }
        verb={t.requestVerb(payable.length)}
        isSafe
        onConfirm={request}
        content={users}
      />
    </>
  );
}
