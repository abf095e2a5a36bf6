import { Box, Button } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import type { RoyaltyDraft } from '@regie/contract/routes/royalty-statements.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatLongMonth, formatMoney, formatPercent } from '@regie/values/formats.ts';
import { addMonths, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { IconFileCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { frRecords } from '#src/domain/records.fr.ts';
import { frRoyalty } from '#src/domain/royalties/royalty.fr.ts';
import { accountColumn, balanceColumn, periodOf } from '#src/domain/royalties/royalty-labels.tsx';
import { api, apiList, apiQuery } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { monthFromParam, monthToParam } from '#src/lib/months.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { moneyColumn, textColumn } from '#src/ui/list/value-columns.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';

const t = frRoyalty.drafts;
const notesOf = (draft: RoyaltyDraft): string[] => [
  ...(draft.isStopped ? [t.isStopped] : []),
  ...(draft.hasEmail ? [] : [t.noEmail]),
  ...(draft.isFirst ? [t.isFirst] : []),
];
const growthOf = ({ incomeEur, formerIncomeEur }: RoyaltyDraft): string =>
  formerIncomeEur !== null && formerIncomeEur > 0
    ? `${incomeEur < formerIncomeEur ? '' : '+'}${formatPercent(Math.round((100 * (incomeEur - formerIncomeEur)) / formerIncomeEur))}`
    : '';

const reasonOf = ({ reason }: RoyaltyDraft): string =>
  reason
    ? t.reason(
        frRecords.compare.effects[reason.effect],
        reason.name,
        `${reason.amountEur > 0 ? '+' : ''}${formatMoney(reason.amountEur, 'EUR')}`,
      )
    : '';

const columnsOf = (month: number): ListColumn<RoyaltyDraft>[] => [
  { ...accountColumn, sort: 'name' },
  textColumn({
    ...{ key: 'from', header: frRoyalty.column.period, isSecondary: true },
    csv: ({ from }) => periodOf({ from, to: month }),
  }),
  balanceColumn({
    key: 'opening',
    header: frRoyalty.column.opening,
    isSecondary: true,
    csv: (draft) => draft.openingEur,
  }),
  moneyColumn({
    ...{ key: 'income', header: frRoyalty.column.income, sort: 'income', isSecondary: true },
    total: fr.list.total,
    csv: (draft) => draft.incomeEur,
  }),
  { key: 'growth', header: frRoyalty.column.change, align: 'right', cell: growthOf, csv: growthOf },
  {
    key: 'reason',
    header: frRoyalty.column.reason,
    cell: (draft) =>
      draft.reason && (
        <Link
          className={shared.link}
          to={paths.compareAccount(draft.Account.id)}
          search={{ a: monthToParam(draft.reason.fromA), b: monthToParam(draft.reason.fromB) }}
        >
          {reasonOf(draft)}
        </Link>
      ),
    csv: reasonOf,
  },
  balanceColumn({
    key: 'closing',
    header: frRoyalty.column.closing,
    sort: 'closing',
    csv: (draft) => draft.closingEur,
  }),
  {
    key: 'note',
    header: frRoyalty.column.note,
    cell: (draft) => {
      const notes = notesOf(draft).map((note) => (
        <StatusBadge key={note} tone={note === t.isFirst ? 'info' : 'warning'}>
          {note}
        </StatusBadge>
      ));
      return notes.length === 0 ? null : notes;
    },
    csv: (draft) => notesOf(draft).join(', '),
  },
];

/** The month before this one, or the one after the last run; and the month of the last run. */
function useMonth(): { month: number; last: number | undefined } {
  const asked = monthFromParam(useListState().search.mois);
  const runs = useQuery(apiQuery(['royalty-runs', 'last'], routes.listRoyaltyRuns, { query: { limit: 1 } }));
  const last = runs.data?.[0]?.month;
  const usual = addMonths(monthOfInstant(Date.now()), -1);
  const next = last === undefined ? usual : addMonths(monthOfInstant(last), 1);
  return { month: asked ?? monthToMs(next > usual ? next : usual), last };
}

export default function RoyaltyDraftsPage() {
  const can = useCan();
  const state = useListState();
  const { month, last } = useMonth();
  const navigate = useNavigate();
  // The month that was asked for stays, whatever a colleague publishes meanwhile.
  const { subject, ask, dialog } = useAsked<{ month: number; total: number }>();
  const asked = subject ?? { month, total: 0 };
  const query = { month };
  const drafts = useQuery({
    queryKey: ['royalty-drafts', month],
    queryFn: ({ signal }) => apiList(routes.listRoyaltyDrafts, { month, limit: 1 }, signal),
  });
  const total = drafts.data?.meta?.total ?? 0;
  const columns = columnsOf(month);
  const isDone = last !== undefined && month <= last;
  return (
    <>
      <ListPage
        title={t.title}
        route={routes.listRoyaltyDrafts}
        query={query}
        columns={can('manage_profiles') ? columns : columns.filter(({ key }) => key !== 'reason')}
        method={t.method}
        rowKey={(draft) => draft.Account.id}
        rowName={(draft) => `${draft.Account.fname} ${draft.Account.lname}`}
        {...(can('manage_profiles') && {
          rowLink: (draft: RoyaltyDraft) => ({ to: paths.statement(draft.Account.id) }),
        })}
        searchPlaceholder={t.search}
        defaultSort={{ key: 'name', order: 'asc' }}
        exportName={`releves-${monthToParam(month) ?? ''}`}
        intro={
          <Box mb={16}>
            <MonthField
              label={t.month}
              w={220}
              required
              value={month}
              onChange={(next) => state.setSearch({ mois: monthToParam(next) })}
            />
          </Box>
        }
        actions={
          <Button
            leftSection={buttonIcon(IconFileCheck)}
            disabled={total === 0 || isDone || month > Date.now()}
            title={isDone ? messages.runIsEarlier : undefined}
            onClick={() => ask({ month, total })}
          >
            {t.submit}
          </Button>
        }
        empty={{ icon: IconFileCheck, title: t.emptyTitle, text: t.emptyText }}
      />
      <ConfirmModal
        {...dialog}
        isSafe
        name={t.name(formatLongMonth(asked.month))}
        consequence={t.consequence(asked.total, asked.month >= monthToMs(monthOfInstant(Date.now())))}
        verb={t.submit}
        content={asked.month}
        onConfirm={async ({ idempotencyKey }) => {
          const { data } = await api(routes.publishRoyaltyRun, { body: { month: asked.month }, idempotencyKey });
          await navigate({ to: paths.royaltyRun(data.id) });
        }}
      />
    </>
  );
}
