import { Button } from '@mantine/core';
import type { UnmatchedItem } from '@regie/contract/routes/unmatched.ts';
import { routes } from '@regie/contract/routes.ts';
import { unmatchedReasons } from '@regie/contract/unmatched.ts';
import { IconChecks } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { useAct } from '#src/lib/act.ts';
import { api, errorSentence, type ListParams } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { formatInteger, plural } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { KeyFigures } from '#src/ui/key-figures.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { filterQuery, type ListFilter, selectFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import type { ListTab } from '#src/ui/list/list-toolbar.tsx';
import { moneyColumn } from '#src/ui/list/value-columns.tsx';
import { Money } from '#src/ui/money.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { AliasList } from './alias-list.tsx';
import { AssignModal } from './assign-modal.tsx';
import { assign, summaryQuery } from './unmatched.api.ts';
import { frUnmatched } from './unmatched.fr.ts';
import classes from './unmatched.module.css';
import {
  Amounts,
  amountsText,
  Codes,
  countStatements,
  ItemCell,
  itemName,
  monthsText,
  TrackCell,
  withoutRateText,
} from './unmatched-labels.tsx';

const t = frUnmatched;

/** The tabs: unmatched items, and matched ones. */
export default function UnmatchedPage() {
  const { search } = useListState();
  const isAliases = search.tab === 'aliases';
  const tabs: ListTab[] = [
    { label: t.tab.inbox, to: paths.unmatched, search: { tab: 'inbox' }, isCurrent: !isAliases },
    { label: t.tab.aliases, to: paths.unmatched, search: { tab: 'aliases' }, isCurrent: isAliases },
  ];
  return isAliases ? <AliasList tabs={tabs} /> : <Inbox tabs={tabs} />;
}

const columns: ListColumn<UnmatchedItem>[] = [
  {
    key: 'title',
    header: t.column.item,
    sort: 'title',
    width: '20%',
    cell: (item) => <ItemCell item={item} />,
    csv: (item) => item.title,
  },
  { key: 'artist', header: t.column.artist, csv: (item) => item.artist },
  {
    key: 'codes',
    header: t.column.code,
    cell: (item) => (
      <>
        {(item.isrc || item.upc) && <Codes item={item} />}
        <div>
          <StatusBadge tone={item.reason === 'doubled' ? 'warning' : 'neutral'}>{t.reason[item.reason]}</StatusBadge>
        </div>
      </>
    ),
  },
  { key: 'isrc', header: t.column.isrc, csv: (item) => item.isrc },
  { key: 'upc', header: t.column.upc, csv: (item) => item.upc },
  {
    key: 'reason',
    header: t.column.reason,
    csv: (item) => t.reason[item.reason],
  },
  moneyColumn({
    key: 'amount',
    header: t.column.amount,
    sort: 'amount',
    cell: (item) => (
      <>
        <Amounts of={item} />
        <span className={classes.hint}>{t.quantity(formatInteger(item.quantity))}</span>
      </>
    ),
    csv: (item) => item.amountEur,
  }),
  { key: 'withoutRate', header: 'Sans taux de change', csv: withoutRateText },
  { key: 'quantity', header: t.column.quantity, csv: (item) => item.quantity },
  {
    key: 'statements',
    header: 'Relevés',
    sort: 'newest',
    cell: (item) => <Statements item={item} />,
    csv: (item) => item.statements,
  },
  { key: 'fromMonth', header: 'Premier mois', type: 'month', csv: (item) => item.fromMonth },
  { key: 'toMonth', header: 'Dernier mois', type: 'month', csv: (item) => item.toMonth },
  {
    key: 'suggestion',
    header: 'Titre suggéré',
    width: '22%',
    cell: (item) => <Suggestion item={item} />,
    csv: ({ candidates: [first] }) => first?.trackTitle,
  },
  { key: 'trackIsrc', header: t.column.trackIsrc, csv: ({ candidates: [first] }) => first?.isrc },
  { key: 'account', header: t.column.account, csv: ({ candidates: [first] }) => first?.userName },
  { key: 'ground', header: 'Ce qui le suggère', csv: ({ candidates: [first] }) => first && t.ground[first.ground] },
];

/** The newest files only; the dialog lists all of them. */
function Statements({ item }: { item: UnmatchedItem }) {
  const [newest] = item.lastStatements;
  const hidden = item.statements - 1;
  return (
    <span className={classes.track}>
      {newest && (
        <Link
          className={`${classes.link} ${classes.shortFile}`}
          title={newest.fileName}
          to={paths.storeStatement(newest.id)}
        >
          {newest.fileName}
        </Link>
      )}
      <span className={classes.hint}>
        {[monthsText(item), hidden > 0 ? t.others(plural(hidden, t.other, t.otherMany)) : undefined]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </span>
  );
}

function Suggestion({ item }: { item: UnmatchedItem }) {
  const [first] = item.candidates;
  if (!first) return <span className={classes.hint}>{t.noSuggestion}</span>;
  // Nothing distinguishes these: all are shown.
  const shown = item.isClear ? [first] : item.candidates.filter(({ ground }) => ground === first.ground);
  return shown.map((candidate) => (
    <TrackCell key={candidate.trackId} track={candidate} note={t.ground[candidate.ground]} />
  ));
}

function Inbox({ tabs }: { tabs: ListTab[] }) {
  const can = useCan();
  const canEdit = can('edit_reports');
  const { search } = useListState();
  const [opened, setOpened] = useState<string>();
  const [problem, setProblem] = useState<React.ReactNode>();
  const baseFilters: ListFilter[] = [
    selectFilter(t.filter.reason, 'reason', t.reason, unmatchedReasons),
    { kind: 'month', label: t.filter.month, param: 'month' },
  ];
  const query: ListParams = Object.assign(
    { q: search.q, source: search.source },
    ...baseFilters.map((filter) => filterQuery(filter, search)),
  );
  const summary = useQuery(summaryQuery(query));
  // The URL's value is an option before the others are loaded.
  const sources = new Set([...(summary.data?.sources ?? []), ...(search.source ? [search.source] : [])]);
  const filters: ListFilter[] = [
    ...baseFilters,
    {
      kind: 'select',
      label: t.filter.source,
      param: 'source',
      options: [...sources].map((value) => ({ value, label: value })),
    },
  ];
  return (
    <>
      <ListPage
        id="unmatched"
        title={frScreens.reports.unmatched}
        route={routes.listUnmatched}
        rows={(data) => data}
        columns={columns}
        rowKey={(item) => item.key}
        rowName={itemName}
        onRowOpen={(item) => setOpened(item.key)}
        searchPlaceholder={t.search}
        filters={filters}
        tabs={tabs}
        defaultSort={{ key: 'amount', order: 'desc' }}
        exportName={t.exportName.inbox}
        empty={{
          title: t.empty.title,
          text: t.empty.text,
          action: (
            <Button component={Link} to={paths.statements} variant="default">
              {t.empty.toStatements}
            </Button>
          ),
        }}
        intro={
          <>
            <Message tone="error" text={problem} onDismiss={setProblem} />
            <Figures
              summary={summary.data}
              error={summary.isError ? summary.error : undefined}
              onRetry={() => void summary.refetch()}
            />
          </>
        }
        {...(canEdit
          ? {
              rowActions: (item: UnmatchedItem) => (
                <RowAction item={item} onChoose={() => setOpened(item.key)} onProblem={setProblem} />
              ),
              selection: (items: readonly UnmatchedItem[], clear: () => void) => (
                <AcceptMany items={items} onDone={clear} onProblem={setProblem} />
              ),
            }
          : {})}
      />
      <AssignModal itemKey={opened} onClose={() => setOpened(undefined)} />
    </>
  );
}

interface FiguresProps {
  summary: { items: number; amountEur: number; withoutRate: { currency: string; amount: number }[] } | undefined;
  error: Error | undefined;
  onRetry: () => void;
}

function Figures({ summary, error, onRetry }: FiguresProps) {
  const can = useCan();
  if (!summary && error) {
    return (
      <Notice tone="error">
        {errorSentence(error)}
        <div>
          <Button size="compact-sm" variant="default" mt={8} onClick={onRetry}>
            {fr.common.retry}
          </Button>
        </div>
      </Notice>
    );
  }
  return (
    <KeyFigures
      label={t.figures.label}
      figures={[
        {
          label: t.figures.amount,
          value: summary && <Money amount={summary.amountEur} currency="EUR" />,
          hint: t.figures.amountHint,
        },
        { label: t.figures.items, value: summary && formatInteger(summary.items), hint: t.figures.itemsHint },
        ...(summary && summary.withoutRate.length > 0
          ? [
              {
                label: t.figures.withoutRate,
                value: withoutRateText(summary),
                hint: (
                  <>
                    {t.figures.withoutRateHint}
                    {can('manage_settings') && (
                      <>
                        {' · '}
                        <Link to={paths.exchangeRates}>{t.figures.addRates}</Link>
                      </>
                    )}
                  </>
                ),
              },
            ]
          : []),
      ]}
    />
  );
}

interface RowActionProps {
  item: UnmatchedItem;
  onChoose: () => void;
  onProblem: (problem: React.ReactNode) => void;
}

/** One click accepts an unambiguous suggestion; otherwise staff chooses. */
function RowAction({ item, onChoose, onProblem }: RowActionProps) {
  const { act, isBusy } = useAct(onProblem);
  const [first] = item.candidates;
  if (!first || !item.isClear) {
    return (
      <Button variant="default" size="compact-sm" aria-label={t.chooseName(itemName(item))} onClick={onChoose}>
        {t.choose}
      </Button>
    );
  }
  return (
    <Button
      variant="default"
      size="compact-sm"
      loading={isBusy}
      aria-label={t.acceptName(itemName(item), first.trackTitle)}
      onClick={() => act((options) => assign(item, first, options))}
    >
      {t.accept}
    </Button>
  );
}

interface AcceptManyProps {
  items: readonly UnmatchedItem[];
  onDone: () => void;
  onProblem: (problem: React.ReactNode) => void;
}

/** Accepts the unambiguous suggestions of the selected items. */
function AcceptMany({ items, onDone, onProblem }: AcceptManyProps) {
  const { act, isBusy } = useAct(onProblem);
  const names = new Map(items.map((item) => [item.key, itemName(item)]));
  const assignments = items.flatMap(({ key, isClear, candidates: [first] }) =>
    isClear && first ? [{ key, trackId: first.trackId }] : [],
  );
  const accept = () =>
    act(async ({ idempotencyKey }) => {
      const { data } = await api(routes.assignTracks, { body: { assignments }, idempotencyKey });
      if (data.assigned > 0) {
        flashSuccess(
          t.doneMany(
            plural(data.assigned, t.assignedOne, t.assignedMany),
            amountsText(data),
            countStatements(data.statements),
          ),
        );
      }
      if (data.refused.length > 0) {
        onProblem(
          <>
            {t.refused(plural(data.refused.length, t.refusedOne, t.refusedMany))}
            <ul className={classes.refused}>
              {data.refused.map(({ key, reason }) => (
                <li key={key}>
                  {names.get(key)}
                  {fr.common.colon}
                  {reason}
                </li>
              ))}
            </ul>
          </>,
        );
      }
      onDone();
    });
  if (assignments.length === 0) return <span className={shared.note}>{t.nothingToAccept}</span>;
  return (
    <Button
      size="compact-sm"
      loading={isBusy}
      leftSection={<IconChecks size={14} stroke={1.8} aria-hidden />}
      onClick={accept}
    >
      {t.acceptMany(plural(assignments.length, t.suggestion, t.suggestions))}
    </Button>
  );
}
