import { Button, Checkbox, Group, Loader, Stack } from '@mantine/core';
import { formatPayoutNumber, preflightProblems } from '@regie/contract/payouts.ts';
import type { Payout, Preflight, PreflightRow } from '@regie/contract/routes/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconStack2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { useAct } from '#src/lib/act.ts';
import { api, apiQuery, errorSentence } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { formatMoney, plural } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { Money } from '#src/ui/money.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import { Problems } from './batch-labels.tsx';
import { frPayouts } from './payouts.fr.ts';
import classes from './payouts.module.css';

const t = frPayouts.batch;
const isBlocking = (row: PreflightRow) => row.problems.some((problem) => preflightProblems[problem].isBlocking);
export const countPayouts = (n: number) => plural(n, frPayouts.unpaid.one, frPayouts.unpaid.many);

/** Selected pending payouts that are in no batch → preflight → a batch. */
export function CreateBatchButton({ payouts, onDone }: { payouts: readonly Payout[]; onDone: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  if (payouts.length === 0) return <span>{t.allInBatch}</span>;
  return (
    <>
      <Button size="compact-sm" leftSection={buttonIcon(IconStack2, 14)} onClick={() => setIsOpen(true)}>
        {t.button(countPayouts(payouts.length))}
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setIsOpen(false)} title={t.preflight} size="xl">
        {isOpen && <PreflightView ids={payouts.map((payout) => payout.payoutId)} onDone={onDone} />}
      </Dialog>
    </>
  );
}

function PreflightView({ ids, onDone }: { ids: readonly number[]; onDone: () => void }) {
  const [kept, setKept] = useState(ids);
  useUnsavedChanges(kept !== ids);
  const [failure, setFailure] = useState<string>();
  const found = useQuery({
    ...apiQuery(['preflight', kept], routes.preflightBatch, { body: { payouts: [...kept] } }),
    staleTime: 0,
    gcTime: 0,
  });
  if (found.isError) {
    return (
      <Notice tone="error">
        {errorSentence(found.error)}
        <div className={classes.retry}>
          <Button size="xs" variant="default" onClick={() => void found.refetch()}>
            {fr.common.retry}
          </Button>
        </div>
      </Notice>
    );
  }
  if (!found.data) {
    return (
      <Group gap="sm" role="status">
        <Loader size="sm" /> {t.checking}
      </Group>
    );
  }
  return (
    <>
      <Message tone="error" text={failure} onDismiss={setFailure} />
      <PreflightResult
        // The confirmation applies to the shown preflight.
        key={found.dataUpdatedAt}
        found={found.data}
        isChecking={found.isFetching}
        onKeep={(ids) => {
          setFailure(undefined);
          setKept(ids);
        }}
        onFailure={setFailure}
        onDone={onDone}
      />
    </>
  );
}

interface PreflightResultProps {
  found: Preflight;
  isChecking: boolean;
  onKeep: (ids: number[]) => void;
  onFailure: (failure: string | undefined) => void;
  onDone: () => void;
}

function PreflightResult({ found, isChecking, onKeep, onFailure, onDone }: PreflightResultProps) {
  const navigate = useNavigate();
  const [isConfirmed, setIsConfirmed] = useState(false);
  useUnsavedChanges(isConfirmed);
  const { act, isBusy } = useAct(onFailure);
  const blocked = found.rows.filter(isBlocking);
  const warned = found.rows.filter((row) => !isBlocking(row) && row.problems.length > 0);
  const create = () => {
    const body = { payouts: found.rows.map((row) => row.payoutId), confirmWarnings: isConfirmed };
    act(async ({ idempotencyKey }) => {
      const { data, message } = await api(routes.createBatch, { body, idempotencyKey });
      flashSuccess(message, { afterNavigation: true });
      await navigate({ to: paths.payoutBatch(data.id), ignoreBlocker: true });
      onDone();
    }, body);
  };
  const isClean = blocked.length === 0 && warned.length === 0;
  return (
    <Stack gap="sm">
      <strong>{t.figures(countPayouts(found.count), formatMoney(found.netEur, 'EUR'))}</strong>
      {isClean && <Notice tone="success">{t.allGood}</Notice>}
      {blocked.length > 0 && <Notice tone="error">{t.blocked(countPayouts(blocked.length))}</Notice>}
      {warned.length > 0 && <Notice tone="info">{t.warned(countPayouts(warned.length))}</Notice>}
      {found.needSignatures > 0 && <Notice tone="info">{t.signaturesDue(countPayouts(found.needSignatures))}</Notice>}
      <BatchTable rows={isClean ? found.rows : [...blocked, ...warned]} name={t.preflight} isInDialog />
      <Group justify="flex-end" gap="sm" className={shared.dialogFoot}>
        {warned.length > 0 && blocked.length === 0 && (
          <Checkbox
            flex="1 0 auto"
            label={t.confirm}
            checked={isConfirmed}
            onChange={(event) => setIsConfirmed(event.currentTarget.checked)}
          />
        )}
        {blocked.length > 0 && blocked.length < found.rows.length && (
          <Button
            variant="default"
            onClick={() => onKeep(found.rows.filter((row) => !isBlocking(row)).map((row) => row.payoutId))}
          >
            {t.leaveOut}
          </Button>
        )}
        <Button
          disabled={blocked.length > 0 || (warned.length > 0 && !isConfirmed)}
          loading={isBusy || isChecking}
          onClick={create}
        >
          {t.create}
        </Button>
      </Group>
    </Stack>
  );
}

interface BatchTableProps {
  /** Without an id, a payout that is still to be requested. */
  rows: readonly (Omit<PreflightRow, 'payoutId'> & { payoutId: number | null; userId?: number; note?: string })[];
  name: string;
  /** Its names are no links, which would leave the dialog. */
  isInDialog?: boolean;
}

/** Payouts with their preflight findings. */
export function BatchTable({ rows, name, isInDialog }: BatchTableProps) {
  const can = useCan();
  const canOpen = !isInDialog && (can('edit_pending_payout') || can('edit_paid_payout'));
  return (
    <PlainTable name={name} head={[t.name, { right: t.net }, t.destination, t.problems]} className={classes.batch}>
      <tbody>
        {rows.map((row) => (
          <tr key={row.payoutId ?? `account ${row.userId}`}>
            <td>
              <span className={classes.name}>
                {canOpen && row.payoutId !== null ? (
                  <Link className={shared.link} to={paths.payout(row.payoutId)}>
                    {row.name || fr.common.none}
                  </Link>
                ) : (
                  row.name || fr.common.none
                )}
              </span>
              {row.note && <span className={shared.under}>{row.note}</span>}
              {row.payoutId !== null && (
                <span className={`${shared.under} ${classes.number}`}>{formatPayoutNumber(row.payoutId)}</span>
              )}
              {row.writtenName !== null && (
                <span className={`${shared.under} ${classes.written}`}>{t.writtenName(row.writtenName)}</span>
              )}
            </td>
            <td data-align="right">
              <Money amount={row.payoutNet} currency="EUR" />
            </td>
            <td>
              <span className={classes.destination}>{row.destination}</span>
              <span className={shared.under}>{t.files[row.file]}</span>
            </td>
            <td>
              <Problems problems={row.problems} />
            </td>
          </tr>
        ))}
      </tbody>
    </PlainTable>
  );
}
