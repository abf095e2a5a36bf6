import { Button, Group } from '@mantine/core';
import { getCapability } from '@regie/contract/capabilities.ts';
import { messages } from '@regie/contract/messages.ts';
import { formatPayoutNumber, type PaymentFile, payoutMessages, preflightProblems } from '@regie/contract/payouts.ts';
import type { Everyone } from '@regie/contract/routes/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatMoney, sumAmounts } from '@regie/values/formats.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { AccountLink } from '#src/domain/account-link.tsx';
import { reasonId } from '#src/domain/unpaid-reasons.ts';
import { api } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { newId } from '#src/lib/new-id.ts';
import { useCan } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { Money } from '#src/ui/money.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { RecordPage, Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { BatchTable, CreateBatch, countPayouts, signaturesDue } from './create-batch.tsx';
import { frPayouts } from './payouts.fr.ts';
import classes from './payouts.module.css';

type Row = Everyone['rows'][number];
type LeftOut = Everyone['leftOut'][number];

const t = frPayouts.everyone;
const firstRows = 25;
const leftOutId = 'sans-versement';

export default function PayEveryonePage() {
  const everyone = useQuery({
    queryKey: ['pay-everyone'],
    queryFn: async ({ signal }) =>
      (await api(routes.payEveryone, { body: { dryRun: true }, idempotencyKey: newId(), signal })).data,
    staleTime: 0,
    gcTime: 0,
  });
  return <Loaded query={everyone}>{(data) => <EveryoneView everyone={data} />}</Loaded>;
}

const countAccounts = frPayouts.unpaid.accounts;
const sumOf = (accounts: readonly LeftOut[]) => formatMoney(sumAmounts(accounts.map((one) => one.amountEur)), 'EUR');

function EveryoneView({ everyone }: { everyone: Everyone }) {
  const [isWhole, setIsWhole] = useState(false);
  const { rows, leftOut, version } = everyone;
  const toCheck = rows.filter(({ changes, problems }) => changes.length + problems.length > 0);
  const others = rows.filter((row) => !toCheck.includes(row));
  return (
    <RecordPage
      header={
        <PageHeader
          title={frScreens.payouts.payEveryone}
          text={
            rows.length === 0 ? (
              t.nobody
            ) : (
              <>
                <div className={shared.figure}>{formatMoney(everyone.netEur, 'EUR')}</div>
                {frPayouts.batch.netOf(countPayouts(rows.length))}
                <Files {...everyone} />
              </>
            )
          }
        />
      }
    >
      {rows.length > 0 && everyone.needSignatures > 0 && <Notice tone="note">{signaturesDue(everyone)}</Notice>}
      {toCheck.length > 0 && (
        <Section title={t.changes}>
          <BatchTable rows={toCheck.map(explain)} name={t.changes} />
        </Section>
      )}
      {others.length > 0 && (
        <Section title={toCheck.length > 0 ? t.others : t.all}>
          <BatchTable
            rows={(isWhole ? others : others.slice(0, firstRows)).map(explain)}
            name={toCheck.length > 0 ? t.others : t.all}
          />
          {!isWhole && others.length > firstRows && (
            <Button variant="subtle" size="compact-sm" mt="xs" onClick={() => setIsWhole(true)}>
              {t.showAll(countPayouts(others.length))}
            </Button>
          )}
        </Section>
      )}
      {leftOut.length > 0 && (
        <Section id={leftOutId} title={t.leftOut(countAccounts(leftOut.length), sumOf(leftOut))}>
          {[...Map.groupBy(leftOut, ({ reason }) => reason)]
            .toSorted(([a], [b]) => a.localeCompare(b, 'fr'))
            .map(([reason, accounts]) => (
              <Unpaid key={reason} reason={reason} accounts={accounts} />
            ))}
        </Section>
      )}
      {rows.length > 0 && (
        <CreateBatch
          label={t.create(countPayouts(rows.length))}
          version={version}
          hasWarnings={everyone.hasWarnings}
          create={async (confirmWarnings, options) => {
            const { data, message } = await api(routes.payEveryone, { body: { version, confirmWarnings }, ...options });
            return { to: data.batchId === null ? paths.payoutBatches : paths.payoutBatch(data.batchId), message };
          }}
        />
      )}
    </RecordPage>
  );
}

/** How many leave by each way and how many do not leave, with their sums. */
function Files({ rows, leftOut }: Everyone) {
  const files = Map.groupBy(rows, ({ file }) => file);
  return (
    <Group component="ul" gap="4px 24px" mt={8} aria-label={t.files}>
      {(['sepa', 'paypal', 'manual'] as const satisfies readonly PaymentFile[]).map((file) => {
        const sent = files.get(file);
        return (
          sent && (
            <li key={file}>
              {frPayouts.batch.files[file]}, {countPayouts(sent.length)}
              {fr.common.colon}
              <Money amount={sumAmounts(sent.map(({ payoutNet }) => payoutNet))} currency="EUR" />
            </li>
          )
        );
      })}
      {leftOut.length > 0 && (
        <li>
          <a className={shared.textLink} href={`#${leftOutId}`}>
            {t.leftOut(countAccounts(leftOut.length), sumOf(leftOut))}
          </a>
        </li>
      )}
    </Group>
  );
}

const explain = (row: Row) => ({ ...row, note: <Note row={row} /> });

function Note({ row: { payoutId, replaces, apart, apartBatchId } }: { row: Row }) {
  return (
    <>
      {replaces.length > 0 && (
        <span className={`${shared.under} ${classes.written}`}>
          {t.replaces}{' '}
          {replaces.map((id, index) => (
            <span key={id}>
              {index > 0 && ', '}
              <Link className={shared.textLink} to={paths.payout(id)}>
                {formatPayoutNumber(id)}
              </Link>
            </span>
          ))}
          {t.oneFee}
        </span>
      )}
      {payoutId !== null && apart === null && <span className={`${shared.under} ${classes.written}`}>{t.asked}</span>}
      {apart && (
        <span className={`${shared.under} ${classes.written}`}>
          {t.apart[apart]}
          {apartBatchId !== null && (
            <Link className={shared.textLink} to={paths.payoutBatch(apartBatchId)}>
              {t.batch(String(apartBatchId))}
            </Link>
          )}
        </span>
      )}
    </>
  );
}

function Unpaid({ reason, accounts }: { reason: string; accounts: readonly LeftOut[] }) {
  const can = useCan();
  const id = reasonId(reason);
  return (
    <details
      className={classes.unpaid}
      id={id}
      open={accounts.length <= firstRows || isTarget(id)}
      ref={scrollToTarget}
    >
      <summary>
        {reason}
        <span className={shared.under}>
          {countAccounts(accounts.length)}, {sumOf(accounts)}
        </span>
      </summary>
      <ul className={shared.rows}>
        {accounts
          .toSorted((a, b) => b.amountEur - a.amountEur)
          .map((one) => {
            const fix = fixOf(one, can('manage_profiles'));
            return (
              <li key={`${one.userId} ${one.payoutId}`}>
                <AccountLink id={one.userId}>{one.name}</AccountLink>
                <Group gap={16} ml="auto">
                  <Money amount={one.amountEur} currency="EUR" />
                  {typeof fix === 'string' ? (
                    <span className={shared.muted}>{fix}</span>
                  ) : (
                    <Link className={shared.link} to={fix.to} search={fix.search ?? {}}>
                      {fix.label}
                      <span className="visually-hidden"> ({one.name})</span>
                    </Link>
                  )}
                </Group>
              </li>
            );
          })}
      </ul>
    </details>
  );
}

const ofPayout: readonly string[] = [preflightProblems.billing_deleted.label, preflightProblems.net_too_small.label];
const ofProfile: readonly string[] = [messages.accountDisabled, preflightProblems.negative_balance.label];

const isTarget = (id: string | undefined) => id !== undefined && location.hash === `#${id}`;
const scrollToTarget = (list: HTMLDetailsElement | null) => {
  if (isTarget(list?.id)) list?.scrollIntoView();
};

/** Where what stops a payment is changed, or why nothing can be changed here. */
function fixOf(
  { reason, userId, payoutId, billingId }: LeftOut,
  canManage: boolean,
): { label: string; to: string; search?: Record<string, string> } | string {
  if (reasonId(reason) === undefined) return t.fix.none;
  if (reason === payoutMessages.severalAccounts) {
    return { label: t.fix.choose, to: paths.requestPayout, search: { userId: String(userId) } };
  }
  if (payoutId !== null && ofPayout.includes(reason)) return { label: t.fix.payout, to: paths.payout(payoutId) };
  if (!canManage) return t.fix.right(getCapability('manage_profiles').label);
  if (billingId !== null && reason === preflightProblems.recently_changed.label) {
    return { label: t.fix.sign, to: paths.signature('billing', billingId) };
  }
  if (ofProfile.includes(reason)) return { label: t.fix.profile, to: paths.editProfile(userId) };
  const label = reason === payoutMessages.noBilling ? t.fix.add : t.fix.billings;
  return { label, to: paths.billings(userId) };
}
