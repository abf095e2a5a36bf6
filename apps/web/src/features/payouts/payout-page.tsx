import { Button, Menu, NativeSelect, Stack, Textarea, TextInput } from '@mantine/core';
import type { Capability } from '@regie/contract/capabilities.ts';
import { findPayoutRefusal, formatPayoutNumber, type PayoutState, payoutMessages } from '@regie/contract/payouts.ts';
import type { PayoutDetail } from '@regie/contract/routes/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconBuildingBank, IconCheck, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { journalFact } from '#src/domain/journal-fact.tsx';
import { useAct } from '#src/lib/act.ts';
import { ApiError, api, errorSentence } from '#src/lib/api.ts';
import { dismissFlash, flashSuccess } from '#src/lib/flash.ts';
import { formatBalance, formatInteger, formatMoney } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { useReturnToList } from '#src/lib/list-return.ts';
import { useCan } from '#src/lib/session.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { Loading } from '#src/ui/loaded.tsx';
import { restTitle } from '#src/ui/money.tsx';
import { MoreMenu } from '#src/ui/more-menu.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { Facts, RecordPage, Section } from '#src/ui/record-page.tsx';
import { RedirectWithProblem } from '#src/ui/redirect-with-problem.tsx';
import shared from '#src/ui/shared.module.css';
import { PayoutAccountModal } from './payout-account-modal.tsx';
import { PayoutAlerts, PayoutBadge, payeeName } from './payout-labels.tsx';
import { payoutQuery } from './payouts.api.ts';
import { frPayouts } from './payouts.fr.ts';
import classes from './payouts.module.css';
import { ReceiptButton } from './receipt-button.tsx';

const t = frPayouts.detail;

/** A payout, loaded by its id; on failure, the list of pending ones (product §39.1). */
export default function PayoutPage() {
  const id = useIdParam();
  return id === undefined ? <ToPending /> : <PayoutLoader key={id} id={id} />;
}

const ToPending = () => <RedirectWithProblem to={paths.pendingPayouts} why={t.missing} />;

type Outcome = { tone: 'success' | 'error'; text: string } | undefined;

function PayoutLoader({ id }: { id: number }) {
  const payout = useQuery(payoutQuery(id));
  // The message of a transition outlives the fields, which are remounted with the payout's state.
  const [outcome, setOutcome] = useState<Outcome>();
  if (payout.error instanceof ApiError && payout.error.status === 404) return <ToPending />;
  if (payout.data) {
    const { payoutState } = payout.data;
    return <PayoutView key={payoutState} payout={payout.data} outcome={outcome} setOutcome={setOutcome} />;
  }
  return <Loading query={payout} />;
}

const lists = {
  PENDING: { path: paths.pendingPayouts, read: 'read_pending_payout' },
  PAID: { path: paths.paidPayouts, read: 'read_paid_payout' },
  CANCEL: { path: paths.cancelledPayouts, read: 'read_paid_payout' },
} as const satisfies Record<PayoutState, { path: string; read: Capability }>;

/** The payout's list, or the home page for those who may not read that list. */
function useListPath(state: PayoutState): string {
  const can = useCan();
  return can(lists[state].read) ? lists[state].path : paths.home;
}
type Dialog = 'account' | 'remove' | 'CANCEL';

interface PayoutViewProps {
  payout: PayoutDetail;
  outcome: Outcome;
  setOutcome: (outcome: Outcome) => void;
}

function PayoutView({ payout, outcome, setOutcome }: PayoutViewProps) {
  const can = useCan();
  const returnToList = useReturnToList();
  const queryClient = useQueryClient();
  const [dialog, setDialog] = useState<Dialog>();
  const number = formatPayoutNumber(payout.payoutId);
  const name = payeeName(payout);
  const params = { id: payout.payoutId };
  const listPath = useListPath(payout.payoutState);
  const canEdit = can(payout.payoutState === 'PAID' ? 'edit_paid_payout' : 'edit_pending_payout');
  const refusalOf = (move: PayoutState | 'delete') => findPayoutRefusal(move, payout);

  const { act, isBusy } = useAct((text) => setOutcome(text === undefined ? undefined : { tone: 'error', text }));
  const attempt = (run: (options: { idempotencyKey: string }) => Promise<{ message: string }>) =>
    act(async (options) => {
      dismissFlash();
      const { message } = await run(options);
      setOutcome({ tone: 'success', text: message });
    });
  const approve = () =>
    attempt((options) => api(routes.approvePayout, { params, body: { version: payout.version }, ...options }));
  const leave = async (message: string) => {
    flashSuccess(message, { afterNavigation: true });
    await returnToList([listPath]);
    queryClient.removeQueries({ queryKey: ['payout', payout.payoutId] });
    await queryClient.invalidateQueries();
  };
  const removeRefusal = refusalOf('delete');
  const cancelRefusal = refusalOf('CANCEL');
  const isPaid = payout.payoutState === 'PAID';
  const removal = removeRefusal ?? cancelRefusal;
  const statusRefusal = refusalOf(isPaid ? 'PENDING' : 'PAID');
  const close = () => {
    setDialog(undefined);
    // After a refusal the payout may have changed elsewhere.
    void queryClient.invalidateQueries({ queryKey: ['payout', payout.payoutId] });
  };
  return (
    <>
      <RecordPage
        header={
          <PageHeader
            title={t.title(number)}
            parent={lists[payout.payoutState].path}
            badge={<PayoutBadge payout={payout} />}
            text={<PayoutAlerts payout={payout} />}
            actions={
              <>
                <ReceiptButton payout={payout} onDone={setOutcome} />
                <Button
                  variant="default"
                  leftSection={<IconBuildingBank size={16} stroke={1.8} aria-hidden />}
                  onClick={() => setDialog('account')}
                >
                  {t.openAccount}
                </Button>
                {payout.canApprove && !payout.isApprovalMissing && (
                  <MoreMenu label={t.more}>
                    <Menu.Item
                      leftSection={<IconCheck size={16} stroke={1.8} aria-hidden />}
                      disabled={isBusy}
                      onClick={() => void approve()}
                    >
                      {t.approveForColleague}
                    </Menu.Item>
                  </MoreMenu>
                )}
              </>
            }
          />
        }
        side={<Side payout={payout} />}
      >
        {outcome && (
          <Notice tone={outcome.tone} onDismiss={() => setOutcome(undefined)}>
            {outcome.text}
          </Notice>
        )}
        {payout.isApprovalMissing && (
          <Notice tone="info">
            {payout.canApprove || payout.approvedBy === null ? t.approveHint : t.approvedWaits(payout.approvedBy)}
            {payout.canApprove && (
              <div className={classes.retry}>
                <Button
                  size="compact-sm"
                  variant="default"
                  loading={isBusy}
                  leftSection={<IconCheck size={14} stroke={1.8} aria-hidden />}
                  onClick={() => void approve()}
                >
                  {t.approve}
                </Button>
              </div>
            )}
          </Notice>
        )}
        <Section title={name}>
          <div className={classes.form}>
            <div className={classes.readonly}>
              <TextInput label={t.name} value={name} readOnly />
              <TextInput label={t.email} value={payout.userEmail ?? fr.common.none} readOnly />
              <TextInput
                label={t.income}
                value={formatBalance(payout.userIncome)}
                title={restTitle(payout.userIncome)}
                readOnly
              />
              <TextInput label={t.destination} value={`${payout.destination}, ${payout.owner}`} readOnly />
              <TextInput
                label={t.amount}
                value={formatMoney(payout.payoutAmount, 'EUR')}
                description={t.net(formatMoney(payout.payoutNet, 'EUR'), formatMoney(payout.payoutFee, 'EUR'))}
                inputWrapperOrder={['label', 'input', 'description']}
                readOnly
              />
            </div>
            {payout.payoutState !== 'CANCEL' && (
              <StatusForm
                payout={payout}
                canEdit={canEdit}
                isBusy={isBusy}
                onChange={() => setOutcome(undefined)}
                onSave={(status) =>
                  attempt((options) => api(routes.editPayout, { params, body: { status }, ...options }))
                }
              />
            )}
            {payout.payoutState !== 'CANCEL' && canEdit && (
              <div className={classes.removal}>
                <Button
                  variant="default"
                  {...(cancelRefusal === undefined
                    ? { c: 'var(--negative)' }
                    : { disabled: true, title: cancelRefusal })}
                  onClick={() => setDialog('CANCEL')}
                >
                  {isPaid ? t.returnPayout : t.cancelPayout}
                </Button>
                <Button
                  variant="default"
                  {...(removeRefusal === undefined
                    ? { c: 'var(--negative)' }
                    : { disabled: true, title: removeRefusal })}
                  leftSection={<IconTrash size={16} stroke={1.8} aria-hidden />}
                  onClick={() => setDialog('remove')}
                >
                  {t.remove}
                </Button>
                {removal !== undefined && removal !== statusRefusal && <span className={shared.under}>{removal}</span>}
              </div>
            )}
          </div>
        </Section>
      </RecordPage>
      <PayoutAccountModal payout={payout} isOpen={dialog === 'account'} onClose={close} />
      <ConfirmModal
        isOpen={dialog === 'remove'}
        onClose={close}
        name={`${number}, ${name}`}
        consequence={t.removeConsequence(formatMoney(payout.payoutAmount, 'EUR'), name)}
        verb={t.removeVerb}
        // The confirmation closes in both cases (product §18.5).
        onConfirm={async (options) => {
          setOutcome(undefined);
          try {
            const { message } = await api(routes.deletePayout, { params, ...options });
            await leave(message);
          } catch (error) {
            setOutcome({ tone: 'error', text: errorSentence(error) });
          }
        }}
      />
      <CancelDialog
        payout={payout}
        isOpen={dialog === 'CANCEL'}
        onClose={close}
        onConfirm={async (reason, options) => {
          const body = { status: 'CANCEL' as const, ...(reason ? { reason } : {}) };
          const { message } = await api(routes.editPayout, { params, body, ...options });
          await leave(message);
        }}
      />
    </>
  );
}

interface StatusFormProps {
  payout: PayoutDetail;
  canEdit: boolean;
  isBusy: boolean;
  onChange: () => void;
  onSave: (status: 'PENDING' | 'PAID') => void;
}

/** PENDING or PAID (product §14.2); refused transitions are disabled, with the reason. */
function StatusForm({ payout, canEdit, isBusy, onChange, onSave }: StatusFormProps) {
  const listPath = useListPath(payout.payoutState);
  const present = payout.payoutState === 'PAID' ? 'PAID' : 'PENDING';
  const [status, setStatus] = useState<'PENDING' | 'PAID'>(present);
  const other = present === 'PAID' ? 'PENDING' : 'PAID';
  const refusal = findPayoutRefusal(other, payout);
  const isChanged = status !== present;
  return (
    <>
      <NativeSelect
        label={t.status}
        description={refusal ? `${frPayouts.state[other]}${fr.common.colon}${refusal}` : undefined}
        inputWrapperOrder={['label', 'input', 'description']}
        value={status}
        disabled={!canEdit}
        onChange={(event) => {
          setStatus(event.currentTarget.value === 'PAID' ? 'PAID' : 'PENDING');
          onChange();
        }}
        data={(['PENDING', 'PAID'] as const).map((value) => ({
          value,
          label: frPayouts.state[value],
          disabled: value !== present && refusal !== undefined,
        }))}
        maw={360}
      />
      <div className={classes.actions}>
        <Button component={Link} to={listPath} variant="default">
          {fr.common.cancel}
        </Button>
        <Button disabled={!canEdit || !isChanged} loading={isBusy && isChanged} onClick={() => onSave(status)}>
          {fr.common.save}
        </Button>
      </div>
    </>
  );
}

interface CancelDialogProps {
  payout: PayoutDetail;
  isOpen: boolean;
  onClose: () => void;
  onConfirm: (reason: string, options: { idempotencyKey: string }) => Promise<void>;
}

/** Cancels a pending payout; records a paid one as returned, with the reason. */
function CancelDialog({ payout, isOpen, onClose, onConfirm }: CancelDialogProps) {
  const [reason, setReason] = useState('');
  useUnsavedChanges(isOpen && reason !== '');
  const isReturn = payout.payoutState === 'PAID';
  const amount = formatMoney(payout.payoutAmount, 'EUR');
  const name = payeeName(payout);
  return (
    <ConfirmModal
      isOpen={isOpen}
      onClose={onClose}
      name={`${formatPayoutNumber(payout.payoutId)}, ${name}`}
      consequence={isReturn ? t.returnConsequence(amount, name) : t.cancelConsequence(amount, name)}
      verb={isReturn ? t.returnVerb : t.cancelPayout}
      onConfirm={async (options) => {
        if (isReturn && reason.trim() === '') throw new ApiError(422, 'validation_failed', payoutMessages.reason);
        await onConfirm(reason.trim(), options);
      }}
    >
      <Stack gap="xs">
        <Textarea
          label={isReturn ? t.reason : t.cancelReason}
          description={t.reasonHint}
          required={isReturn}
          maxLength={1000}
          minRows={2}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      </Stack>
    </ConfirmModal>
  );
}

function Side({ payout }: { payout: PayoutDetail }) {
  const can = useCan();
  const step = (ms: number, by: string | null) => (
    <>
      <DateText ms={ms} hasTime />
      <span className={shared.under}>{t.by(by ?? fr.common.system)}</span>
    </>
  );
  const facts = [
    { label: t.requested, value: step(payout.payoutCreatedAt, payout.requestedBy) },
    ...(payout.approvedAt !== null ? [{ label: t.approved, value: step(payout.approvedAt, payout.approvedBy) }] : []),
    ...(payout.paidAt !== null ? [{ label: t.paid, value: step(payout.paidAt, payout.paidBy) }] : []),
    ...(payout.cancelledAt !== null
      ? [
          {
            label: payout.returnedAt === null ? t.cancelled : frPayouts.returned,
            value: (
              <>
                {step(payout.cancelledAt, payout.cancelledBy)}
                {payout.cancelReason && <span className={shared.under}>{payout.cancelReason}</span>}
              </>
            ),
          },
        ]
      : []),
    ...(payout.batchId !== null
      ? [
          {
            label: t.batch,
            value: (
              <Link className={shared.link} to={paths.payoutBatch(payout.batchId)}>
                {frPayouts.alert.inBatch(formatInteger(payout.batchId))}
              </Link>
            ),
          },
        ]
      : []),
    ...(can('manage_profiles')
      ? [
          {
            label: t.profile,
            value: (
              <Link className={shared.link} to={paths.profile(payout.userId)}>
                {payeeName(payout) || t.openProfile}
              </Link>
            ),
          },
        ]
      : []),
    ...(can('read_audit') ? [journalFact('payout', payout.payoutId, t.journal)] : []),
  ];
  return (
    <Section title={t.facts}>
      <Facts facts={facts} />
    </Section>
  );
}
