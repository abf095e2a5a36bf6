import { Box, Button } from '@mantine/core';
import type { RoyaltyRun, RoyaltyStatementRow } from '@regie/contract/routes/royalty-statements.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatDateTime, formatInteger, formatLongMonth } from '@regie/values/formats.ts';
import { IconFileCheck, IconSend } from '@tabler/icons-react';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { paths } from '#src/app/paths.ts';
import { frRoyalty } from '#src/domain/royalties/royalty.fr.ts';
import {
  accountColumn,
  amountColumns,
  letterColumn,
  letterFilter,
  nameOf,
  periodColumn,
} from '#src/domain/royalties/royalty-labels.tsx';
import { useAct } from '#src/lib/act.ts';
import { api, apiQuery, isNotFound } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { useCan } from '#src/lib/session.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { integerColumn } from '#src/ui/list/value-columns.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { RecordPage } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { NotFound } from '#src/ui/states.tsx';

const t = frRoyalty.run;
const askEveryMs = 1500;

const runQuery = (id: number) => ({
  ...apiQuery(['royalty-run', id], routes.getRoyaltyRun, { params: { id } }),
  refetchInterval: ({ state: { data } }: { state: { data?: RoyaltyRun } }) =>
    data && ((data.publishedAt === null && !data.hasFailed) || data.letters.queued > 0) ? askEveryMs : false,
});

export const prefetch = (client: QueryClient, id: number) => client.prefetchQuery(runQuery(id));

const columns: ListColumn<RoyaltyStatementRow>[] = [
  accountColumn,
  integerColumn({ key: 'number', header: frRoyalty.column.number, csv: (row) => row.number }),
  periodColumn,
  ...amountColumns,
  letterColumn,
];
const filters = [letterFilter];

export default function RoyaltyRunPage() {
  const id = useIdParam();
  const run = useQuery({ ...runQuery(id ?? 0), enabled: id !== undefined });
  if (id === undefined || isNotFound(run.error)) return <NotFound />;
  return (
    <Loaded query={run}>
      {(data) =>
        data.publishedAt === null ? <Open run={data} /> : <Published run={data} publishedAt={data.publishedAt} />
      }
    </Loaded>
  );
}

function Open({ run }: { run: RoyaltyRun }) {
  const can = useCan();
  const { act, isBusy, failure } = useAct();
  return (
    <RecordPage header={<PageHeader title={t.title(formatLongMonth(run.month))} />}>
      <Message text={failure} />
      {run.hasFailed ? (
        <Notice tone="error">
          {t.failed}{' '}
          {can('send_statements') && (
            <Button
              size="compact-sm"
              variant="default"
              loading={isBusy}
              onClick={() => act((options) => api(routes.retryRoyaltyRun, { params: { id: run.id }, ...options }))}
            >
              {t.retry}
            </Button>
          )}
        </Notice>
      ) : (
        <output>{t.open}</output>
      )}
    </RecordPage>
  );
}

function Published({ run, publishedAt }: { run: RoyaltyRun; publishedAt: number }) {
  const can = useCan();
  const queryClient = useQueryClient();
  const { ask, dialog } = useAsked<void>();
  const { letters, withoutEmail, stopped } = run;
  const month = formatLongMonth(run.month);
  // The rows follow the letters that leave.
  const left = letters.sent + letters.failed;
  const shown = useRef(left);
  useEffect(() => {
    if (shown.current === left) return;
    shown.current = left;
    void queryClient.invalidateQueries({ queryKey: ['list', routes.listRoyaltyStatements.path] });
  }, [left, queryClient]);
  const waiting = letters.none + letters.failed;
  return (
    <>
      <ListPage
        title={t.title(month)}
        route={routes.listRoyaltyStatements}
        query={{ runId: run.id }}
        columns={columns}
        filters={filters}
        rowName={(row) => `${nameOf(row)}, ${frRoyalty.statement.title(formatInteger(row.number))}`}
        rowLink={(row) => ({ to: paths.royaltyStatement(row.id) })}
        searchPlaceholder={t.search}
        defaultSort={{ key: 'publishedAt', order: 'desc' }}
        intro={
          <Box mb={16}>
            {t.published(formatDateTime(publishedAt), run.createdBy)}
            {letters.queued > 0 && <output> · {t.progress(letters.sent, letters.queued)}</output>}
            {letters.queued === 0 && letters.sent > 0 && ` · ${t.sent(letters.sent)}`}
            {letters.failed > 0 && (
              <>
                {' · '}
                <Link className={shared.textLink} to={paths.royaltyRun(run.id)} search={{ letter: 'failed' }}>
                  {t.undelivered(letters.failed)}
                </Link>
              </>
            )}
          </Box>
        }
        actions={
          can('send_statements') &&
          waiting > 0 && (
            <Button
              leftSection={buttonIcon(IconSend)}
              variant={letters.none > 0 ? 'filled' : 'default'}
              onClick={() => ask()}
            >
              {letters.none > 0 ? t.send : t.sendAgain}
            </Button>
          )
        }
        empty={{ icon: IconFileCheck, title: t.emptyTitle, text: t.emptyText }}
      />
      <ConfirmModal
        {...dialog}
        isSafe
        name={t.sendName(month)}
        consequence={t.sendConsequence(t.letters(waiting - withoutEmail - stopped), withoutEmail, stopped)}
        verb={frRoyalty.letter.send}
        content={run.id}
        onConfirm={({ idempotencyKey }) => api(routes.sendRoyaltyRun, { params: { id: run.id }, idempotencyKey })}
      />
    </>
  );
}
