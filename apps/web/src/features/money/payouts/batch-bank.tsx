import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { isDoubtful, type Outcome, outcomes, reasonOf, type Verdict, verdicts } from '@regie/contract/bank-answers.ts';
import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import type { BatchDetail, PreflightRow } from '@regie/contract/routes/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger, formatMoney } from '@regie/values/formats.ts';
import { useState } from 'react';
import { AnswerBadge } from '#src/domain/bank-answer.tsx';
import { RecordSigning } from '#src/domain/signing/record-signing.tsx';
import { useAct } from '#src/lib/act.ts';
import { api, apiUpload } from '#src/lib/api.ts';
import { useCan } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { Dropzone } from '#src/ui/dropzone.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { BatchTable, CreateBatchButton, countPayouts as count } from './create-batch.tsx';
import { frPayouts } from './payouts.fr.ts';

const t = frPayouts.bank;
const stated = (answer: string): answer is Verdict | Outcome => answer in verdicts || answer in outcomes;
const toMessage = ({ data, message }: { data: { returned: number }; message: string }) =>
  data.returned > 0 ? t.returned(count(data.returned)) : message;

/** What the bank answers to an exported batch: read from its file, and what follows from it. */
export function BankSection({ batch }: { batch: BatchDetail }) {
  const canEdit = useCan()('edit_pending_payout') && batch.state === 'exported';
  const [asked, setAsked] = useState<'abandon' | 'return'>();
  const { act, isBusy, failure } = useAct();
  const { bank } = batch;
  const params = { id: batch.id };
  if (!canEdit && bank.reports.length === 0) return null;
  const button = (verb: 'abandon' | 'return') => (
    <Button variant="default" size="compact-sm" onClick={() => setAsked(verb)}>
      {t[verb]}
    </Button>
  );
  const consequence =
    asked === 'return'
      ? t.returnConsequence(count(bank.rejected))
      : t.abandonConsequence(count(batch.count), formatMoney(batch.netEur, 'EUR'));
  return (
    <Section
      title={t.title}
      actions={
        canEdit && (
          <Group gap={8}>
            {bank.rejected > 0 && (bank.isExecuted || bank.rejected < batch.count) && button('return')}
            {!bank.isExecuted && button('abandon')}
          </Group>
        )
      }
    >
      <Stack gap={10}>
        {bank.proposal && <RecordSigning subject="proposal" id={String(bank.proposal.id)} />}
        {canEdit && bank.rejected > 0 && <Notice tone="error">{t.rejected(count(bank.rejected))}</Notice>}
        {canEdit && bank.doubtful > 0 && (
          <Notice tone="note">{t.doubtful(count(bank.doubtful), !bank.isExecuted)}</Notice>
        )}
        {bank.reports.length > 0 && (
          <Group gap={6}>
            {Object.entries(bank.counts).map(
              ([answer, n]) => stated(answer) && <AnswerBadge key={answer} answer={answer} count={formatInteger(n)} />,
            )}
          </Group>
        )}
        {bank.reports.map(({ at, by, messageId }) => (
          <span key={at} className={shared.under}>
            {messageId === null ? t.typed : t.report(messageId)} · {by} · <DateText ms={at} hasTime />
          </span>
        ))}
        {canEdit && (
          <Dropzone
            label={t.drop}
            accept=".xml,application/xml,text/xml"
            hint={t.hint}
            {...(failure === undefined ? {} : { error: failure })}
            disabled={isBusy}
            onFile={(file) =>
              act(async () => toMessage(await apiUpload(routes.readBankReport, { params, file, fileName: file.name })))
            }
          />
        )}
      </Stack>
      <ConfirmModal
        isOpen={asked !== undefined}
        onClose={() => setAsked(undefined)}
        name={`${frPayouts.batch.one(formatInteger(batch.id))}, ${batch.messageId}`}
        consequence={`${consequence} ${bank.proposal ? t.replaces : ''}`}
        verb={t[asked ?? 'abandon']}
        onConfirm={(options) =>
          api(asked === 'return' ? routes.returnRejected : routes.abandonBatch, { params, ...options })
        }
      />
    </Section>
  );
}

/** Payouts that left an exported batch, and the batch that pays them anew. */
export function LeftSection({ batch: { bank, state } }: { batch: BatchDetail }) {
  const canEdit = useCan()('edit_pending_payout');
  if (bank.left.length === 0) return null;
  const title = state === 'void' ? t.abandoned : t.left;
  const rest = Math.max(0, bank.looseIds.length - bank.left.length);
  return (
    <Section
      title={title}
      actions={
        canEdit &&
        bank.looseIds.length > 0 && (
          <CreateBatchButton
            ids={bank.looseIds}
            label={t.again(count(bank.looseIds.length))}
            onDone={() => undefined}
          />
        )
      }
    >
      <BatchTable rows={bank.left.map((row) => ({ ...row, problems: [], changes: [] }))} name={title} />
      {rest > 0 && <p className={shared.note}>{t.rest(count(rest))}</p>}
    </Section>
  );
}

interface TypeAnswerProps {
  batchId: number;
  row: PreflightRow;
}

/** The bank's answer to one payment, where it gives no file. */
export function TypeAnswer({ batchId, row }: TypeAnswerProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [answer, setAnswer] = useState('');
  const [said, setSaid] = useState('');
  const [code, setCode] = useState('');
  const number = formatPayoutNumber(row.payoutId);
  const verdict = answer in verdicts ? (answer as Verdict) : null;
  const outcome: 'accepted' | 'rejected' | null =
    answer === 'accepted' ? 'accepted' : answer === 'rejected' ? 'rejected' : null;
  return (
    <>
      <Button
        variant="subtle"
        size="compact-sm"
        px={0}
        display="block"
        aria-label={t.typeFor(number)}
        onClick={() => setIsOpen(true)}
      >
        {t.type}
      </Button>
      <ConfirmModal
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        name={`${number}, ${row.name}`}
        consequence={outcome === 'rejected' ? t.rejectConsequence : formatMoney(row.payoutNet, 'EUR')}
        verb={t.type}
        isSafe
        content={[answer, said, code]}
        onConfirm={async (options) => {
          const body = { payoutId: row.payoutId, verdict, outcome, said: said || null, code: code || null };
          return toMessage(await api(routes.typeBankAnswer, { params: { id: batchId }, body, ...options }));
        }}
      >
        <NativeSelect
          label={t.answer}
          required
          data={[
            { value: '', label: t.choose },
            ...Object.entries({ ...verdicts, accepted: outcomes.accepted, rejected: outcomes.rejected }).map(
              ([value, label]) => ({ value, label }),
            ),
          ]}
          value={answer}
          onChange={(event) => setAnswer(event.currentTarget.value)}
        />
        {outcome === 'rejected' && (
          <TextInput
            label={t.code}
            description={code === '' || reasonOf(code) === code ? t.codeHint : reasonOf(code)}
            maxLength={4}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value.toUpperCase())}
          />
        )}
        {(outcome === 'rejected' || isDoubtful(verdict)) && (
          <TextInput
            label={verdict === 'near' ? t.knownName : t.said}
            maxLength={1000}
            value={said}
            onChange={(event) => setSaid(event.currentTarget.value)}
          />
        )}
      </ConfirmModal>
    </>
  );
}
