import { Button, Checkbox, Group, Loader, Stack } from '@mantine/core';
import { formatPayoutNumber, preflightProblems } from '@regie/contract/payouts.ts';
import type { Everyone, Preflight, PreflightRow } from '@regie/contract/routes/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatMoney } from '@regie/values/formats.ts';
import { IconStack2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { AccountLink } from '#src/domain/account-link.tsx';
import { BankAnswerText } from '#src/domain/bank-answer.tsx';
import { frSigning } from '#src/domain/signing/signing.fr.ts';
import { useAct } from '#src/lib/act.ts';
import { api, apiQuery } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { MoneyCell } from '#src/ui/money.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import { Problems } from './batch-labels.tsx';
import { frPayouts } from './payouts.fr.ts';
import classes from './payouts.module.css';

const t = frPayouts.batch;
const isBlocking = (row: PreflightRow) => row.problems.some((problem) => preflightProblems[problem].isBlocking);
export const countPayouts = frPayouts.unpaid.payouts;
export const signaturesDue = ({ needSignatures, signatureReasons }: Preflight | Everyone) =>
  t.signaturesDue(
    countPayouts(needSignatures),
    signatureReasons.map((reason) => frSigning.reasons[reason].toLowerCase()),
  );

export const PayEveryoneLink = () => (
  <LinkButton to={paths.payEveryone} leftSection={buttonIcon(IconStack2)}>
    {frScreens.payouts.payEveryone}
  </LinkButton>
);

interface CreateBatchButtonProps {
  ids: readonly number[];
  label?: string;
  onDone: () => void;
}

export function CreateBatchButton({ ids, label = t.button(countPayouts(ids.length)), onDone }: CreateBatchButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  if (ids.length === 0) return <span>{t.allInBatch}</span>;
  return (
    <>
      <Button size="compact-sm" leftSection={buttonIcon(IconStack2, 14)} onClick={() => setIsOpen(true)}>
        {label}
      </Button>
      <Dialog isOpen={isOpen} onClose={() => setIsOpen(false)} title={t.preflight} size="xl">
        {isOpen && <PreflightView ids={ids} onDone={onDone} />}
      </Dialog>
    </>
  );
}

const Checking = () => (
  <Group gap="sm" role="status">
    <Loader size="sm" /> {t.checking}
  </Group>
);

function PreflightView({ ids, onDone }: { ids: readonly number[]; onDone: () => void }) {
  const [payoutIds, setPayoutIds] = useState(ids);
  useUnsavedChanges(payoutIds !== ids);
  const preflight = useQuery({
    ...apiQuery(['preflight', payoutIds], routes.preflightBatch, { body: { payouts: [...payoutIds] } }),
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Loaded query={preflight} placeholder={<Checking />}>
      {(data) => (
        <PreflightResult
          preflight={data}
          version={preflight.dataUpdatedAt}
          isChecking={preflight.isFetching}
          onKeep={setPayoutIds}
          onDone={onDone}
        />
      )}
    </Loaded>
  );
}

interface PreflightResultProps {
  preflight: Preflight;
  version: number;
  isChecking: boolean;
  onKeep: (ids: number[]) => void;
  onDone: () => void;
}

function PreflightResult({ preflight, version, isChecking, onKeep, onDone }: PreflightResultProps) {
  const blocked = preflight.rows.filter(isBlocking);
  const warned = preflight.rows.filter((row) => !isBlocking(row) && row.problems.length > 0);
  const toDrop = blocked.length > 0 ? blocked : warned;
  const isClean = blocked.length === 0 && warned.length === 0;
  return (
    <Stack gap="sm">
      <strong>{t.figures(countPayouts(preflight.count), formatMoney(preflight.netEur, 'EUR'))}</strong>
      {isClean && <Notice tone="success">{t.allGood}</Notice>}
      {blocked.length > 0 && <Notice tone="error">{t.blocked(countPayouts(blocked.length))}</Notice>}
      {warned.length > 0 && <Notice tone="note">{t.warned(countPayouts(warned.length))}</Notice>}
      {preflight.needSignatures > 0 && <Notice tone="note">{signaturesDue(preflight)}</Notice>}
      <BatchTable rows={isClean ? preflight.rows : [...blocked, ...warned]} name={t.preflight} isInDialog />
      <CreateBatch
        label={t.create}
        version={version}
        hasWarnings={warned.length > 0 && blocked.length === 0}
        isDisabled={blocked.length > 0}
        isChecking={isChecking}
        create={async (confirmWarnings, options) => {
          const body = { payouts: preflight.rows.map((row) => row.payoutId), confirmWarnings };
          const { data, message } = await api(routes.createBatch, { body, ...options });
          return { to: paths.payoutBatch(data.id), message };
        }}
        onDone={onDone}
      >
        {toDrop.length > 0 && toDrop.length < preflight.rows.length && (
          <Button
            variant="default"
            onClick={() =>
              onKeep(preflight.rows.filter((row) => !toDrop.includes(row)).map(({ payoutId }) => payoutId))
            }
          >
            {blocked.length > 0 ? t.leaveOut : t.leaveWarned}
          </Button>
        )}
      </CreateBatch>
    </Stack>
  );
}

interface CreateBatchProps {
  label: string;
  version: string | number;
  hasWarnings: boolean;
  isDisabled?: boolean;
  isChecking?: boolean;
  create: (confirmWarnings: boolean, options: { idempotencyKey: string }) => Promise<{ to: string; message: string }>;
  onDone?: () => void;
  children?: ReactNode;
}

export function CreateBatch({
  label,
  version,
  hasWarnings,
  isDisabled,
  isChecking,
  create,
  ...props
}: CreateBatchProps) {
  const navigate = useNavigate();
  const [confirmed, setConfirmed] = useState<string | number>();
  const isConfirmed = confirmed === version;
  useUnsavedChanges(isConfirmed);
  const { act, isBusy, failure, setFailure } = useAct();
  const run = () =>
    act(
      async (options) => {
        const { to, message } = await create(isConfirmed, options);
        flashSuccess(message, { afterNavigation: true });
        await navigate({ to, ignoreBlocker: true });
        props.onDone?.();
      },
      [version, isConfirmed],
    );
  return (
    <>
      <Message text={failure} onDismiss={setFailure} />
      <Group justify="flex-end" gap="sm" className={shared.dialogFoot}>
        {hasWarnings && (
          <Checkbox
            flex="1 0 auto"
            label={t.confirm}
            checked={isConfirmed}
            onChange={(event) => setConfirmed(event.currentTarget.checked ? version : undefined)}
          />
        )}
        {props.children}
        <Button disabled={isDisabled || (hasWarnings && !isConfirmed)} loading={isBusy || isChecking} onClick={run}>
          {label}
        </Button>
      </Group>
    </>
  );
}

interface BatchTableProps {
  /** Without an id, a payout that is still to be requested. */
  rows: readonly (Omit<PreflightRow, 'payoutId'> & { payoutId: number | null; note?: ReactNode; action?: ReactNode })[];
  name: string;
  isInDialog?: boolean;
}

export function BatchTable({ rows, name, isInDialog }: BatchTableProps) {
  const can = useCan();
  const hasAnswers = rows.some(
    ({ action, bankAnswer, problems }) => action !== undefined || (bankAnswer !== null && problems.length === 0),
  );
  const canOpen = !isInDialog && (can('edit_pending_payout') || can('edit_paid_payout'));
  return (
    <PlainTable
      name={name}
      head={[t.name, { right: t.net }, t.destination, hasAnswers ? frPayouts.bank.title : t.problems]}
      className={classes.batch}
    >
      <tbody>
        {rows.map((row) => (
          <tr key={row.payoutId ?? `${row.userId} ${row.destination}`}>
            <td>
              <span className={shared.name}>
                {isInDialog || !row.name ? (
                  row.name || fr.common.none
                ) : (
                  <AccountLink id={row.userId}>{row.name}</AccountLink>
                )}
              </span>
              {row.payoutId !== null && (
                <span className={`${shared.under} ${classes.number}`}>
                  {canOpen ? (
                    <Link className={shared.textLink} to={paths.payout(row.payoutId)}>
                      {formatPayoutNumber(row.payoutId)}
                    </Link>
                  ) : (
                    formatPayoutNumber(row.payoutId)
                  )}
                </span>
              )}
              {row.writtenName !== null && (
                <span className={`${shared.under} ${classes.written}`}>{t.writtenName(row.writtenName)}</span>
              )}
              {row.note}
            </td>
            <MoneyCell amount={row.payoutNet} currency="EUR" />
            <td>
              <span className={classes.destination}>{row.destination}</span>
              <span className={shared.under}>{t.files[row.file]}</span>
            </td>
            <td>
              {row.bankAnswer === null || row.problems.length > 0 ? (
                <Problems row={row} />
              ) : (
                <BankAnswerText answer={row.bankAnswer} />
              )}
              {row.action}
            </td>
          </tr>
        ))}
      </tbody>
    </PlainTable>
  );
}
