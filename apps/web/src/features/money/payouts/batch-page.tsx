import { Box, Button, Group } from '@mantine/core';
import { canTransitionBatch, payoutMessages } from '@regie/contract/payouts.ts';
import type { BatchDetail } from '@regie/contract/routes/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger, formatMoney } from '@regie/values/formats.ts';
import { IconDownload, IconPrinter } from '@tabler/icons-react';
import { type QueryClient, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type MouseEvent, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { journalFact } from '#src/domain/journal-fact.tsx';
import { RecordSigning, signableQuery, useSigning } from '#src/domain/signing/record-signing.tsx';
import { useAct } from '#src/lib/act.ts';
import { api, apiQuery, errorSentence, isNotFound } from '#src/lib/api.ts';
import { downloadFile } from '#src/lib/file-download.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { useCan } from '#src/lib/session.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { Identifier } from '#src/ui/copy-button.tsx';
import { Loaded, Loading } from '#src/ui/loaded.tsx';
import { Money } from '#src/ui/money.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { TableSkeleton } from '#src/ui/plain-table.tsx';
import { Facts, RecordPage, Section, TechnicalFacts } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { NotFound } from '#src/ui/states.tsx';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { BankSection, LeftSection, TypeAnswer } from './batch-bank.tsx';
import { BatchBadge } from './batch-labels.tsx';
import { BatchTable, countPayouts as count } from './create-batch.tsx';
import { frPayouts } from './payouts.fr.ts';
import { type Step, Steps } from './steps.tsx';

const t = frPayouts.batch;
const maxLinks = 10;
type Dialog = 'export' | 'pay' | 'void';

const batchQuery = (id: number) => apiQuery(['payout-batch', id], routes.getBatch, { params: { id } });

export const prefetch = (client: QueryClient, id: number) =>
  Promise.all([client.prefetchQuery(batchQuery(id)), client.prefetchQuery(signableQuery('batch', String(id)))]);

export default function BatchPage() {
  const id = useIdParam();
  const batch = useQuery({ ...batchQuery(id ?? 0), enabled: id !== undefined });
  const signing = useQuery({ ...signableQuery('batch', String(id)), enabled: id !== undefined });
  if (id === undefined || isNotFound(batch.error)) return <NotFound />;
  return (
    <Loaded query={batch} after={signing}>
      {(data) => <BatchView batch={data} />}
    </Loaded>
  );
}

function BatchView({ batch }: { batch: BatchDetail }) {
  const can = useCan();
  const [failure, setFailure] = useState<string>();
  const [dialog, setDialog] = useState<Dialog>();
  const name = t.one(formatInteger(batch.id));
  const params = { id: batch.id };
  const canAct = can('edit_pending_payout') && (batch.count > 0 || batch.bank.isExecuted);
  const isOpen = batch.state === 'draft';
  const net = formatMoney(batch.netEur, 'EUR');
  const signing = useSigning('batch', String(batch.id));
  const open = (asked: Dialog) => {
    setFailure(undefined);
    setDialog(asked);
  };
  const close = () => setDialog(undefined);
  return (
    <>
      <RecordPage
        header={
          <PageHeader
            title={name}
            badge={
              <>
                <BatchBadge state={batch.state} />
                {signing.isMissing && <StatusBadge tone="warning">{frPayouts.alert.signatureMissing}</StatusBadge>}
              </>
            }
            text={
              batch.voided ? (
                count(batch.count)
              ) : (
                <>
                  <div className={shared.figure}>{net}</div>
                  {t.netOf(count(batch.count))}
                </>
              )
            }
            actions={
              canAct && (
                <>
                  {isOpen && (
                    <Button
                      disabled={batch.blocking > 0 || signing.refusal !== undefined}
                      title={signing.refusal}
                      onClick={() => open('export')}
                    >
                      {t.export}
                    </Button>
                  )}
                  {canTransitionBatch('pay', batch.state) && (
                    <Button disabled={batch.stopped.length + batch.bank.rejected > 0} onClick={() => open('pay')}>
                      {t.pay}
                    </Button>
                  )}
                </>
              )
            }
          />
        }
        side={
          <div>
            <Facts
              title={fr.common.facts}
              facts={[
                { label: t.reference, value: <Identifier value={batch.messageId} name={t.reference} /> },
                { label: t.total, value: <Money amount={batch.totalEur} currency="EUR" /> },
                ...(['sepa', 'paypal', 'manual'] as const).map(
                  (file) => batch.files[file] > 0 && { label: t.files[file], value: formatInteger(batch.files[file]) },
                ),
                batch.sepaEur !== 0 &&
                  batch.sepaEur !== batch.netEur && {
                    label: t.sepaTotal,
                    value: <Money amount={batch.sepaEur} currency="EUR" />,
                  },
                can('read_audit') && journalFact('payout_batch', batch.id, t.journal),
              ]}
            />
            {batch.sepaSha256 !== null && (
              <TechnicalFacts
                facts={[{ label: t.sha256, value: <Identifier value={batch.sepaSha256} name={t.sha256} /> }]}
              />
            )}
          </div>
        }
      >
        <Message text={failure} onDismiss={setFailure} />
        {!batch.bank.proposal && <RecordSigning subject="batch" id={String(batch.id)} />}
        {batch.stopped.length > 0 && <Stopped accounts={batch.stopped} />}
        {batch.blocking > 0 && <Notice tone="error">{t.blocking(count(batch.blocking))}</Notice>}
        <Section title={t.steps}>
          <Steps steps={stepsOf(batch)} />
        </Section>
        {batch.exported && !batch.voided && can('edit_pending_payout') && (
          <Section title={t.filesTitle}>
            <Files batch={batch} onFailure={setFailure} />
          </Section>
        )}
        {batch.exported && <BankSection batch={batch} />}
        <LeftSection batch={batch} />
        <Section
          title={t.payouts}
          actions={
            isOpen &&
            can('edit_pending_payout') && (
              <Button variant="default" size="compact-sm" onClick={() => open('void')}>
                {frPayouts.bank.abandon}
              </Button>
            )
          }
        >
          {batch.voided ? (
            <p className={shared.note}>{t.voidedText}</p>
          ) : (
            <Members
              id={batch.id}
              version={`${signing.version ?? batch.state} ${batch.bank.reports.length}`}
              canAnswer={canAct && batch.state === 'exported'}
            />
          )}
        </Section>
      </RecordPage>
      <ConfirmModal
        isOpen={dialog === 'export'}
        onClose={close}
        name={`${name}, ${count(batch.count)}`}
        consequence={`${t.exportConsequence(net)} ${signing.hint ?? ''}`}
        verb={t.exportVerb}
        isSafe
        onConfirm={async (options) => {
          const answer = await api(routes.exportBatch, { params, ...options });
          for (const { address } of filesOf(batch)) {
            await downloadFile(address).catch((error: unknown) => setFailure(errorSentence(error)));
          }
          return answer;
        }}
      />
      <ConfirmModal
        isOpen={dialog === 'pay'}
        onClose={close}
        name={`${name}, ${batch.messageId}`}
        consequence={[
          ...(batch.bank.doubtful > 0 ? [frPayouts.bank.payDoubtful(count(batch.bank.doubtful))] : []),
          ...(batch.bank.proposal ? [frPayouts.bank.replaces] : []),
          t.payConsequence(count(batch.count), net),
        ].join(' ')}
        verb={t.payVerb}
        isSafe
        onConfirm={(options) => api(routes.payBatch, { params, ...options })}
      />
      <ConfirmModal
        isOpen={dialog === 'void'}
        onClose={close}
        name={name}
        consequence={t.voidConsequence(count(batch.count), net)}
        verb={frPayouts.bank.abandon}
        onConfirm={(options) => api(routes.voidBatch, { params, ...options })}
      />
    </>
  );
}

function Stopped({ accounts }: { accounts: BatchDetail['stopped'] }) {
  const can = useCan();
  return (
    <Notice tone="error">
      {payoutMessages.batchStopped(accounts.map(({ name }) => name))}.
      {can('manage_profiles') && (
        <Box component="ul" mt={6} className={shared.bullets}>
          {accounts.slice(0, maxLinks).map(({ userId, name }) => (
            <li key={userId}>
              <Link className={shared.link} to={paths.profile(userId)}>
                {frPayouts.unpaid.openProfile(name)}
              </Link>
            </li>
          ))}
        </Box>
      )}
    </Notice>
  );
}

const stepsOf = (batch: BatchDetail): Step[] => {
  const steps = [
    { label: t.created, done: batch.created },
    { label: t.states.exported, done: batch.exported },
    { label: t.states.paid, done: batch.paid },
  ];
  // An abandoned batch has nothing to come.
  return batch.voided ? [...steps.filter(({ done }) => done), { label: t.states.void, done: batch.voided }] : steps;
};

const filesOf = ({ id, files }: BatchDetail) =>
  [
    { count: files.sepa, path: routes.getBatchSepa.path, label: t.downloadSepa },
    { count: files.paypal, path: routes.getBatchPaypal.path, label: t.downloadPaypal },
  ].flatMap(({ count, path, label }) => (count > 0 ? [{ address: path.replace(':id', String(id)), label }] : []));

function Files({ batch, onFailure }: { batch: BatchDetail; onFailure: (text: string | undefined) => void }) {
  const { act, isBusy } = useAct({ onFailure });
  const print = () =>
    act(async () => {
      const [{ data }, { manualPaymentsDocument }, { downloadPdf }] = await Promise.all([
        api(routes.listManualPayments, { params: { id: batch.id } }),
        import('@regie/documents/manual-payments.ts'),
        import('#src/lib/pdf.ts'),
      ]);
      await downloadPdf(manualPaymentsDocument(batch, data));
    });
  return (
    <>
      <Group gap={8} mb={6}>
        {filesOf(batch).map(({ address, label }) => (
          <Button
            key={address}
            component="a"
            href={`/api${address}`}
            download
            variant="default"
            leftSection={buttonIcon(IconDownload)}
            onClick={(event: MouseEvent) => {
              event.preventDefault();
              void downloadFile(address).catch((error: unknown) => onFailure(errorSentence(error)));
            }}
          >
            {label}
          </Button>
        ))}
        {batch.files.manual > 0 && (
          <Button variant="default" loading={isBusy} leftSection={buttonIcon(IconPrinter)} onClick={print}>
            {t.downloadManual}
          </Button>
        )}
      </Group>
      <span className={shared.under}>{t.filesHint}</span>
    </>
  );
}

/** @param version what is signed: it is read before the list, so the list shows nothing older */
function Members({ id, version, canAnswer }: { id: number; version: string; canAnswer: boolean }) {
  const members = useInfiniteQuery({
    queryKey: ['payout-batch', id, 'payouts', version],
    queryFn: ({ pageParam, signal }) =>
      api(routes.listBatchPayouts, { params: { id }, query: { limit: 100, cursor: pageParam ?? undefined }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.meta?.nextCursor ?? null,
  });
  if (!members.data) return <Loading query={members} placeholder={<TableSkeleton />} />;
  return (
    <>
      <BatchTable
        rows={members.data.pages
          .flatMap((page) => page.data)
          .map((row) => (canAnswer ? { ...row, action: <TypeAnswer batchId={id} row={row} /> } : row))}
        name={t.payouts}
      />
      {members.isFetchNextPageError && <Notice tone="error">{errorSentence(members.error)}</Notice>}
      {members.hasNextPage && (
        <Button
          variant="default"
          mt="sm"
          loading={members.isFetchingNextPage}
          onClick={() => void members.fetchNextPage()}
        >
          {t.more}
        </Button>
      )}
    </>
  );
}
