import { Button, Group, Menu, NativeSelect, Stack, Textarea } from '@mantine/core';
import type { Capability } from '@regie/contract/capabilities.ts';
import { findPayoutRefusal, formatPayoutNumber, type PayoutState, payoutMessages } from '@regie/contract/payouts.ts';
import type { PayoutDetail } from '@regie/contract/routes/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger, formatMoney } from '@regie/values/formats.ts';
import { formatIban } from '@regie/values/iban.ts';
import { IconArrowLeft, IconBuildingBank, IconCheck, IconTrash } from '@tabler/icons-react';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { AccountLink } from '#src/domain/account-link.tsx';
import { BankAnswerText } from '#src/domain/bank-answer.tsx';
import { journalFact } from '#src/domain/journal-fact.tsx';
import { RecordSigning, signableQuery, useSigning } from '#src/domain/signing/record-signing.tsx';
import { useAct } from '#src/lib/act.ts';
import { ApiError, api, errorSentence, isNotFound } from '#src/lib/api.ts';
import type { DialogState } from '#src/lib/asked.ts';
import { dismissFlash, flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { useIsPhone } from '#src/lib/is-phone.ts';
import { useReturnToList } from '#src/lib/list-return.ts';
import { useCan } from '#src/lib/session.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { Message } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { Balance } from '#src/ui/exact.tsx';
import { HiddenNumber } from '#src/ui/hidden-number.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { Money } from '#src/ui/money.tsx';
import { MoreMenu } from '#src/ui/more-menu.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { Facts, RecordPage, Section } from '#src/ui/record-page.tsx';
import { RedirectWithProblem } from '#src/ui/redirect-with-problem.tsx';
import shared from '#src/ui/shared.module.css';
import { SuccessWithUndo } from '#src/ui/success-with-undo.tsx';
import { PayoutAccountModal } from './payout-account-modal.tsx';
import { PayoutAlerts, PayoutBadge, payeeName } from './payout-labels.tsx';
import { payoutQuery } from './payouts.api.ts';
import { frPayouts } from './payouts.fr.ts';
import classes from './payouts.module.css';
import { ReceiptButton } from './receipt-button.tsx';
import { type Step, Steps } from './steps.tsx';

const t = frPayouts.detail;

/** A payout, loaded by its id; on failure, the list of pending ones (product §39.1). */
export const prefetch = (client: QueryClient, id: number) =>
  Promise.all([client.prefetchQuery(payoutQuery(id)), client.prefetchQuery(signableQuery('payout', String(id)))]);

export default function PayoutPage() {
  const id = useIdParam();
  const payout = useQuery({ ...payoutQuery(id ?? 0), enabled: id !== undefined });
  const signing = useQuery({ ...signableQuery('payout', String(id)), enabled: id !== undefined });
  if (id === undefined || isNotFound(payout.error)) return <ToPending />;
  return (
    <Loaded query={payout} after={signing}>
      {(data) => <PayoutView key={id} payout={data} />}
    </Loaded>
  );
}

const ToPending = () => <RedirectWithProblem to={paths.pendingPayouts} why={t.missing} />;

const lists = {
  PENDING: { path: paths.pendingPayouts, read: 'read_pending_payout' },
  PAID: { path: paths.paidPayouts, read: 'read_paid_payout' },
  CANCEL: { path: paths.cancelledPayouts, read: 'read_paid_payout' },
} as const satisfies Record<PayoutState, { path: string; read: Capability }>;

type Dialog = 'account' | 'remove' | 'CANCEL' | 'leaveBatch';

function PayoutView({ payout }: { payout: PayoutDetail }) {
  const can = useCan();
  const returnToList = useReturnToList();
  const queryClient = useQueryClient();
  const [dialog, setDialog] = useState<Dialog>();
  const number = formatPayoutNumber(payout.payoutId);
  const name = payeeName(payout);
  const amount = formatMoney(payout.payoutAmount, 'EUR');
  const params = { id: payout.payoutId };
  // The list it was opened from, also once it is paid.
  const [firstState] = useState(payout.payoutState);
  const listPath = can(lists[firstState].read) ? lists[firstState].path : paths.home;
  const isPaid = payout.payoutState === 'PAID';
  const isPending = payout.payoutState === 'PENDING';
  const canEdit = can(isPaid ? 'edit_paid_payout' : 'edit_pending_payout');
  const { refusal, hint: payHint } = useSigning('payout', String(payout.payoutId));
  const payRefusal = findPayoutRefusal('PAID', payout) ?? refusal;
  const isPhone = useIsPhone();
  const { act, isBusy, failure, setFailure } = useAct();
  const move = async (status: 'PENDING' | 'PAID', options: { idempotencyKey: string }) => {
    const { data } = await api(routes.editPayout, { params, body: { status }, ...options });
    if (status === 'PAID' || batch === undefined) return t.moved[status];
    // Taken back: it left this batch when it was paid.
    return (data.batchId === null ? t.outOfBatch : t.backInBatch)(batch);
  };
  const moved = (status: 'PENDING' | 'PAID', done: string) =>
    status === 'PENDING' || !can('edit_paid_payout') ? (
      done
    ) : (
      <SuccessWithUndo label={t.takeBack} undo={(options) => move('PENDING', options)}>
        {done}
      </SuccessWithUndo>
    );
  const batch =
    isPending && payout.batchId !== null && payout.exportedAt === null
      ? frPayouts.batch.one(formatInteger(payout.batchId))
      : undefined;
  const setStatus = (status: 'PENDING' | 'PAID') =>
    batch !== undefined && status === 'PAID'
      ? setDialog('leaveBatch')
      : act(async (options) => {
          dismissFlash();
          return moved(status, await move(status, options));
        }, status);
  const receipt = <ReceiptButton payout={payout} onFailure={setFailure} />;
  const leave = async (message: string) => {
    flashSuccess(message, { afterNavigation: true });
    await returnToList([listPath]);
    queryClient.removeQueries({ queryKey: ['payout', payout.payoutId] });
  };
  const openAccount = () => setDialog('account');
  const close = () => setDialog(undefined);
  return (
    <>
      <RecordPage
        header={
          <PageHeader
            title={t.title(number)}
            parent={lists[payout.payoutState].path}
            owner={{ id: payout.userId, name }}
            badge={<PayoutBadge payout={payout} />}
            text={
              <>
                <div className={shared.figure}>{amount}</div>
                <AccountLink id={payout.userId}>{name || (can('manage_profiles') && t.openProfile)}</AccountLink>
                <PayoutAlerts payout={payout} />
              </>
            }
            actions={
              <>
                {isPending && canEdit && (
                  <Button
                    leftSection={buttonIcon(IconCheck)}
                    loading={isBusy}
                    disabled={payRefusal !== undefined}
                    title={payRefusal ?? payHint}
                    onClick={() => setStatus('PAID')}
                  >
                    {frPayouts.batch.pay}
                  </Button>
                )}
                {payout.payoutDownloaded === 0 && receipt}
                {isPhone ? (
                  <MoreMenu label={t.more}>
                    <Menu.Item leftSection={buttonIcon(IconBuildingBank)} onClick={openAccount}>
                      {t.openAccount}
                    </Menu.Item>
                    <Menu.Item component={Link} to={listPath} leftSection={buttonIcon(IconArrowLeft)}>
                      {t.back}
                    </Menu.Item>
                  </MoreMenu>
                ) : (
                  <>
                    <Button variant="default" leftSection={buttonIcon(IconBuildingBank)} onClick={openAccount}>
                      {t.openAccount}
                    </Button>
                    <LinkButton to={listPath} variant="subtle" color="gray" leftSection={buttonIcon(IconArrowLeft)}>
                      {t.back}
                    </LinkButton>
                  </>
                )}
                {payout.payoutDownloaded === 1 && receipt}
              </>
            }
          />
        }
        side={<Side payout={payout} />}
      >
        <Message text={failure} onDismiss={setFailure} />
        <RecordSigning subject="payout" id={String(payout.payoutId)} />
        <Section title={frPayouts.batch.steps}>
          <Steps steps={stepsOf(payout)} />
        </Section>
        {payout.payoutState !== 'CANCEL' && (
          <StateCard
            key={payout.payoutState}
            payout={payout}
            payRefusal={payRefusal}
            payHint={payHint}
            canEdit={canEdit}
            isBusy={isBusy}
            onSave={setStatus}
            onOpen={setDialog}
          />
        )}
      </RecordPage>
      <PayoutAccountModal payout={payout} isOpen={dialog === 'account'} onClose={close} />
      <ConfirmModal
        isOpen={dialog === 'leaveBatch'}
        onClose={close}
        name={`${number}, ${name}`}
        consequence={`${t.leavesBatch(batch ?? '')} ${payHint ?? ''}`}
        verb={frPayouts.batch.pay}
        isSafe
        onConfirm={async (options) => flashSuccess(moved('PAID', await move('PAID', options)))}
      />
      <ConfirmModal
        isOpen={dialog === 'remove'}
        onClose={close}
        name={`${number}, ${name}`}
        consequence={t.removeConsequence(amount, name)}
        verb={t.removeVerb}
        // The confirmation closes in both cases (product §18.5).
        onConfirm={async (options) => {
          setFailure(undefined);
          try {
            const { message } = await api(routes.deletePayout, { params, ...options });
            await leave(message);
          } catch (error) {
            setFailure(errorSentence(error));
          }
        }}
      />
      <CancelDialog
        payout={payout}
        isOpen={dialog === 'CANCEL'}
        onClose={close}
        onConfirm={async (reason, options) => {
          const body = { status: 'CANCEL' as const, ...(reason ? { reason } : {}) };
          await api(routes.editPayout, { params, body, ...options });
          await leave(isPaid ? t.returnDone : t.cancelDone);
        }}
      />
    </>
  );
}

const stepAt = (at: number | null, by: string | null) => (at === null ? null : { at, by });

function stepsOf(payout: PayoutDetail): Step[] {
  const { exportedAt, batchId, cancelledAt } = payout;
  const isEnded = payout.payoutState !== 'PENDING';
  const isPaid = payout.paidAt !== null;
  return [
    { label: t.requested, done: { at: payout.payoutCreatedAt, by: payout.requestedBy } },
    (exportedAt !== null || isPaid || !isEnded) && {
      label: frPayouts.batch.states.exported,
      done: stepAt(exportedAt, payout.exportedBy),
      ...(exportedAt === null && isPaid && { note: t.noFile, isLeftOut: true }),
      ...(exportedAt === null && !isPaid && batchId === null && { note: t.fileToCome }),
    },
    (isPaid || !isEnded) && { label: frPayouts.state.PAID, done: stepAt(payout.paidAt, payout.paidBy) },
    cancelledAt !== null && {
      label: payout.returnedAt === null ? t.cancelled : frPayouts.returned,
      done: stepAt(cancelledAt, payout.cancelledBy),
      note: payout.cancelReason,
    },
  ].filter((step) => step !== false);
}

interface StateCardProps {
  payout: PayoutDetail;
  payRefusal: string | undefined;
  payHint: string | undefined;
  canEdit: boolean;
  isBusy: boolean;
  onSave: (status: 'PENDING' | 'PAID') => void;
  onOpen: (dialog: Dialog) => void;
}

/** PENDING or PAID (product §14.2), cancelling and removing; what is refused is disabled, with the reason. */
function StateCard({ payout, payRefusal, payHint, canEdit, isBusy, onSave, onOpen }: StateCardProps) {
  const isPaid = payout.payoutState === 'PAID';
  const present = isPaid ? 'PAID' : 'PENDING';
  const [status, setStatus] = useState<'PENDING' | 'PAID'>(present);
  const statusRefusal = isPaid ? findPayoutRefusal('PENDING', payout) : payRefusal;
  const cancelRefusal = findPayoutRefusal('CANCEL', payout);
  const removeRefusal = findPayoutRefusal('delete', payout);
  const isChanged = status !== present;
  const look = (refusal: string | undefined) => refusal !== undefined && { disabled: true, title: refusal };
  return (
    <Section title={frPayouts.column.state}>
      <Stack gap={16} className={classes.card}>
        <Group align="start" justify="space-between">
          <NativeSelect
            aria-label={frPayouts.column.state}
            description={
              statusRefusal === undefined
                ? isChanged && (isPaid ? t.reopenHint : payHint)
                : t.noState(frPayouts.state[isPaid ? 'PENDING' : 'PAID'], statusRefusal)
            }
            inputWrapperOrder={['label', 'input', 'description']}
            value={status}
            disabled={!canEdit}
            onChange={(event) => setStatus(event.currentTarget.value === 'PAID' ? 'PAID' : 'PENDING')}
            data={(['PENDING', 'PAID'] as const).map((value) => ({
              value,
              label: frPayouts.state[value],
              disabled: value !== present && statusRefusal !== undefined,
            }))}
            flex="1 1 240px"
            maw={360}
          />
          <Group flex="1 0 auto" gap={8} justify="flex-end">
            <Button variant="default" disabled={!isChanged} onClick={() => setStatus(present)}>
              {fr.common.cancel}
            </Button>
            <Button
              variant="default"
              disabled={!canEdit || !isChanged}
              loading={isBusy && isChanged}
              onClick={() => onSave(status)}
            >
              {fr.common.save}
            </Button>
          </Group>
        </Group>
        {canEdit && (
          <Group gap={8} justify="flex-end" className={classes.removal}>
            <Button variant="default" {...look(cancelRefusal)} onClick={() => onOpen('CANCEL')}>
              {isPaid ? t.returnPayout : t.cancelPayout}
            </Button>
            <Button
              variant="default"
              {...look(removeRefusal)}
              leftSection={buttonIcon(IconTrash)}
              onClick={() => onOpen('remove')}
            >
              {t.remove}
            </Button>
            {removeRefusal !== undefined && (
              <span className={shared.under}>
                {cancelRefusal === undefined ? t.noRemoval(removeRefusal) : t.noEnd(removeRefusal)}
              </span>
            )}
          </Group>
        )}
      </Stack>
    </Section>
  );
}

interface CancelDialogProps extends DialogState {
  payout: PayoutDetail;
  onConfirm: (reason: string, options: { idempotencyKey: string }) => Promise<void>;
}

function CancelDialog({ payout, onConfirm, ...dialog }: CancelDialogProps) {
  const [reason, setReason] = useState('');
  useUnsavedChanges(dialog.isOpen && reason !== '');
  const isReturn = payout.payoutState === 'PAID';
  const amount = formatMoney(payout.payoutAmount, 'EUR');
  const name = payeeName(payout);
  return (
    <ConfirmModal
      {...dialog}
      name={`${formatPayoutNumber(payout.payoutId)}, ${name}`}
      consequence={isReturn ? t.returnConsequence(amount, name) : t.cancelConsequence(amount, name)}
      verb={isReturn ? t.returnVerb : t.cancelPayout}
      isSafe={isReturn}
      onConfirm={async (options) => {
        if (isReturn && reason.trim() === '') throw new ApiError(422, 'validation_failed', payoutMessages.reason);
        await onConfirm(reason.trim(), options);
      }}
    >
      <Textarea
        label={isReturn ? t.reason : t.cancelReason}
        description={t.reasonHint}
        required={isReturn}
        maxLength={1000}
        minRows={2}
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </ConfirmModal>
  );
}

function Side({ payout }: { payout: PayoutDetail }) {
  const can = useCan();
  const { account, payoutId } = payout;
  const facts = [
    { label: frPayouts.column.email, value: payout.userEmail ?? fr.common.none },
    { label: t.income, value: <Balance amount={payout.userIncome} /> },
    { label: t.fee, value: <Money amount={payout.payoutFee} currency="EUR" /> },
    { label: t.netPaid, value: <Money amount={payout.payoutNet} currency="EUR" /> },
    { label: frPayouts.field.owner, value: payout.owner },
    {
      label: frPayouts.type[account.type],
      value:
        account.type === 'bank' ? (
          <HiddenNumber
            value={payout.destination}
            name={frPayouts.field.iban}
            reveal={async () =>
              formatIban((await api(routes.revealPayoutAccount, { params: { id: payoutId } })).data.iban).replaceAll(
                '\u00a0',
                ' ',
              )
            }
          />
        ) : (
          payout.destination
        ),
    },
    payout.batchId !== null && {
      label: frPayouts.column.batch,
      value: (
        <Link className={shared.link} to={paths.payoutBatch(payout.batchId)}>
          {frPayouts.batch.one(formatInteger(payout.batchId))}
        </Link>
      ),
    },
    payout.bankAnswer !== null && { label: frPayouts.bank.title, value: <BankAnswerText answer={payout.bankAnswer} /> },
    can('read_audit') && journalFact('payout', payoutId, t.journal),
  ];
  return <Facts title={fr.common.facts} facts={facts} />;
}
