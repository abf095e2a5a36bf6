import { Button, Group, Skeleton } from '@mantine/core';
import type { Import } from '@regie/contract/routes/reports.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger, formatMoney, formatMonth, formatMonths, formatRate } from '@regie/values/formats.ts';
import { IconArrowBackUp, IconDownload } from '@tabler/icons-react';
import { type QueryClient, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frRecords } from '#src/domain/records.fr.ts';
import { RecordSigning, signableQuery } from '#src/domain/signing/record-signing.tsx';
import { api, apiQuery } from '#src/lib/api.ts';
import type { DialogState } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { useCan } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { Loaded, Loading } from '#src/ui/loaded.tsx';
import { Money } from '#src/ui/money.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import { Facts, RecordPage, Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { NotFound } from '#src/ui/states.tsx';
import { ImportState, importName, isIncomplete, isStaged, savedRows, shareFacts } from './import-state.tsx';
import { Figures } from './record.tsx';
import { importQuery, unsavedRowsQuery } from './reports.api.ts';
import { frReports } from './reports.fr.ts';
import { StagedActions, StagedDialog, type StagedQuestion } from './staged-import.tsx';
import { downloadUnsavedRows } from './unsaved-download.ts';

const t = frReports.imports;
const unsavedShown = 20;

export const prefetch = (client: QueryClient, id: number) =>
  Promise.all([client.prefetchQuery(importQuery(id)), client.prefetchQuery(signableQuery('import', String(id)))]);

export default function ImportPage() {
  const id = useIdParam();
  const item = useQuery({ ...importQuery(id ?? 0), enabled: id !== undefined });
  const signing = useQuery({ ...signableQuery('import', String(id)), enabled: id !== undefined });
  if (id === undefined) return <NotFound />;
  return (
    <Loaded query={item} after={signing}>
      {(data) => <ImportView key={id} item={data} />}
    </Loaded>
  );
}

function ImportView({ item }: { item: Import }) {
  const can = useCan();
  const [isReversing, setIsReversing] = useState(false);
  const [question, setQuestion] = useState<StagedQuestion>();
  return (
    <>
      <RecordPage
        header={
          <PageHeader
            title={importName(item)}
            badge={<ImportState item={item} />}
            text={`${frRecords.importNumber(formatInteger(item.id))} · ${frReports.type[item.type]} · ${formatMonth(item.month)}`}
            actions={
              can('edit_reports') && (
                <>
                  <StagedActions item={item} onAsk={setQuestion} />
                  {item.reversedAt === null && item.postedAt !== null && (
                    <Button
                      variant="default"
                      leftSection={buttonIcon(IconArrowBackUp)}
                      onClick={() => setIsReversing(true)}
                    >
                      {frRecords.reverseImport}
                    </Button>
                  )}
                </>
              )
            }
          />
        }
        side={<Facts title={fr.common.facts} facts={factsOf(item)} />}
      >
        {isIncomplete(item) && <Notice tone="info">{t.incompleteHint}</Notice>}
        {isStaged(item) && <Notice tone="info">{t.stagedHint(fr.list.rows(item.stagedRows))}</Notice>}
        {item.postedAt !== null && item.reversedAt === null && <RecordSigning subject="import" id={String(item.id)} />}
        <Section title={t.figures}>
          <Figures
            figures={[
              { label: t.column.rows, value: formatInteger(item.rows) },
              {
                label: item.postedAt === null ? t.stagedRows : t.column.saved,
                value: formatInteger(item.postedAt === null ? item.stagedRows : savedRows(item)),
              },
              { label: t.column.unsaved, value: formatInteger(item.unsaved) },
              ...(item.postedAt === null ? [] : sumsOf(item)),
            ]}
          />
        </Section>
        {item.kind === 'csv' && (
          <Section title={t.unsavedTitle}>
            <UnsavedRows item={item} />
          </Section>
        )}
      </RecordPage>
      <StagedDialog item={item} question={question} onClose={() => setQuestion(undefined)} />
      <ReverseImport item={item} isOpen={isReversing} onClose={() => setIsReversing(false)} />
    </>
  );
}

const sumsOf = (item: Import) => [
  { label: t.column.grossUsd, value: <Money amount={item.grossUsd} currency="USD" /> },
  { label: frReports.detail.grossEur, value: <Money amount={item.grossEur} currency="EUR" /> },
  ...shareFacts(item),
];

const factsOf = (item: Import) => [
  { label: t.period, value: formatMonths(item.month, item.toDate) },
  { label: frReports.detail.rate, value: frReports.detail.rateValue(formatRate(item.rate)) },
  { label: t.kindFilter, value: t.kind[item.kind] },
  {
    label: t.batches,
    value:
      item.kind === 'csv'
        ? t.batchesOf(formatInteger(item.batches), formatInteger(item.batchesExpected ?? item.batches))
        : undefined,
  },
  {
    label: t.reports,
    value:
      item.reports > 0 ? (
        <Link className={shared.link} to={paths.reporting()} search={{ import: String(item.id) }}>
          {t.reportCount(frRecords.reports(item.reports))}
        </Link>
      ) : undefined,
  },
  { label: t.column.createdAt, value: <DateText ms={item.createdAt} hasTime /> },
  { label: t.column.createdBy, value: item.createdBy ?? fr.common.system },
  {
    label: t.stagedRows,
    value: isStaged(item) && item.postedAt !== null ? formatInteger(item.stagedRows) : undefined,
  },
  { label: t.receivedAt, value: isStaged(item) ? <DateText ms={item.receivedAt} hasTime /> : undefined },
  {
    label: item.postedAt === null ? t.removedAt : t.reversedAt,
    value: item.reversedAt === null ? undefined : <DateText ms={item.reversedAt} hasTime />,
  },
  { label: item.postedAt === null ? t.removedBy : t.reversedBy, value: item.reversedBy ?? undefined },
];

function UnsavedRows({ item }: { item: Import }) {
  const rows = useQuery({ ...unsavedRowsQuery(item.id, unsavedShown), enabled: item.unsaved > 0 });
  if (item.unsaved === 0) return <p className={shared.under}>{t.unsavedNone}</p>;
  if (!rows.data) return <Loading query={rows} placeholder={<Skeleton h={160} />} />;
  return (
    <>
      <PlainTable
        name={t.unsavedTitle}
        head={[{ right: t.unsavedColumn.row }, t.unsavedColumn.isrc, t.unsavedColumn.reason]}
      >
        <tbody>
          {rows.data.data.map((row) => (
            <tr key={row.row}>
              <td data-align="right">{formatInteger(row.row)}</td>
              <td data-short>{row.isrc ? <code>{row.isrc}</code> : fr.common.none}</td>
              <td>{row.reason}</td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
      <Group component="p" justify="space-between" gap="8px 16px" mt={14} className={shared.note}>
        {item.unsaved > rows.data.data.length && (
          <span>{t.unsavedFirst(formatInteger(rows.data.data.length), formatInteger(item.unsaved))}</span>
        )}
        <Button
          variant="default"
          leftSection={buttonIcon(IconDownload)}
          onClick={() => void downloadUnsavedRows(item.id, item.unsaved)}
        >
          {t.unsavedDownload}
        </Button>
      </Group>
    </>
  );
}

function ReverseImport({ item, ...dialog }: { item: Import } & DialogState) {
  const preview = useQuery({
    ...apiQuery(['import', item.id, 'reversal'], routes.previewReversal, { params: { id: item.id } }),
    enabled: dialog.isOpen,
  });
  return (
    <ConfirmModal
      {...dialog}
      name={`${importName(item)}, ${formatMonth(item.month)}`}
      consequence={t.reverseConsequence(frRecords.reports(item.reports))}
      verb={frRecords.reverseImport}
      onConfirm={(options) => api(routes.reverseImport, { params: { id: item.id }, ...options })}
    >
      <Facts
        facts={shareFacts({
          grossEur: 0 - item.grossEur,
          accountsEur: 0 - item.accountsEur,
          referralsEur: 0 - item.referralsEur,
        })}
      />
      {preview.data && preview.data.negative > 0 && (
        <Notice tone="note">
          {t.reverseNegative(preview.data.negative, formatMoney(preview.data.negativeEur, 'EUR'))}
        </Notice>
      )}
    </ConfirmModal>
  );
}
