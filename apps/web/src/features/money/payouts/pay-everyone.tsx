import { Button, Stack } from '@mantine/core';
import { preflightProblems } from '@regie/contract/payouts.ts';
import type { Everyone } from '@regie/contract/routes/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatMoney, plural, sumAmounts } from '@regie/values/formats.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { api } from '#src/lib/api.ts';
import { newId } from '#src/lib/new-id.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { ReasonList } from '#src/ui/reason-list.tsx';
import shared from '#src/ui/shared.module.css';
import { BatchButton, BatchTable, Checking, CreateBatch, countPayouts } from './create-batch.tsx';
import { frPayouts } from './payouts.fr.ts';

const t = frPayouts.everyone;

export const PayEveryoneButton = () => (
  <BatchButton label={t.button} title={t.title}>
    <Preview />
  </BatchButton>
);

function Preview() {
  const balances = useQuery({
    queryKey: ['pay-everyone'],
    queryFn: async ({ signal }) =>
      (await api(routes.payEveryone, { body: { dryRun: true }, idempotencyKey: newId(), signal })).data,
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Loaded query={balances} placeholder={<Checking />}>
      {(everyone) => <Result everyone={everyone} />}
    </Loaded>
  );
}

const sumOf = (accounts: Everyone['leftOut']) => formatMoney(sumAmounts(accounts.map((one) => one.amountEur)), 'EUR');

const tellTwice = (rows: Everyone['rows']) =>
  [...Map.groupBy(rows, ({ userId }) => userId).values()].flatMap((requests) =>
    requests.map((row) => ({
      ...row,
      ...(requests.length > 1 && { note: row.payoutId === null ? t.newPayout : t.alreadyRequested }),
    })),
  );

function Result({ everyone }: { everyone: Everyone }) {
  const [isWhole, setIsWhole] = useState(false);
  const rows = tellTwice(everyone.rows);
  const { leftOut, version, hasWarnings } = everyone;
  const isWarned = (row: Everyone['rows'][number]) =>
    row.problems.some((problem) => !preflightProblems[problem].isBlocking);
  const shown = isWhole || !hasWarnings ? rows : rows.filter(isWarned);
  const twice = new Set(rows.flatMap(({ note, userId }) => (note === undefined ? [] : userId))).size;
  const waiting = rows.filter(({ payoutId }) => payoutId !== null).length;
  return (
    <Stack gap="sm">
      <strong>
        {rows.length === 0 ? t.nobody : t.figures(countPayouts(rows.length), formatMoney(everyone.netEur, 'EUR'))}
      </strong>
      {twice > 0 && (
        <Notice tone="info">
          {t.twice(plural(twice, frPayouts.unpaid.account, frPayouts.unpaid.accounts), twice === 1)}
        </Notice>
      )}
      {waiting > 0 && <span>{t.waiting(countPayouts(waiting))}</span>}
      {leftOut.length > 0 && (
        <Notice tone="info">
          {t.leftOut(plural(leftOut.length, frPayouts.unpaid.account, frPayouts.unpaid.accounts), sumOf(leftOut))}
          {[...Map.groupBy(leftOut, ({ reason }) => reason)]
            .toSorted(([a], [b]) => a.localeCompare(b, 'fr'))
            .map(([reason, accounts]) => (
              <details key={reason}>
                <summary>
                  {plural(accounts.length, frPayouts.unpaid.account, frPayouts.unpaid.accounts)}, {sumOf(accounts)}
                  <span className={shared.under}>{reason}</span>
                </summary>
                <ReasonList
                  items={accounts
                    .map(({ userId, name, amountEur }) => ({ id: userId, name, amountEur, to: paths.profile(userId) }))
                    .toSorted((a, b) => b.amountEur - a.amountEur)}
                />
              </details>
            ))}
        </Notice>
      )}
      {rows.length > 0 && everyone.needSignatures > 0 && (
        <Notice tone="info">{frPayouts.batch.signaturesDue(countPayouts(everyone.needSignatures))}</Notice>
      )}
      {rows.length > 0 && <BatchTable rows={shown} name={t.title} isInDialog />}
      {shown.length < rows.length && (
        <Button variant="subtle" size="compact-sm" onClick={() => setIsWhole(true)}>
          {t.showAll(countPayouts(rows.length))}
        </Button>
      )}
      {rows.length > 0 && (
        <CreateBatch
          label={t.create(countPayouts(rows.length))}
          version={version}
          hasWarnings={hasWarnings}
          create={async (confirmWarnings, options) => {
            const { data, message } = await api(routes.payEveryone, { body: { version, confirmWarnings }, ...options });
            return { to: data.batchId === null ? paths.payoutBatches : paths.payoutBatch(data.batchId), message };
          }}
        />
      )}
    </Stack>
  );
}
