import { Button } from '@mantine/core';
import type { UnmatchedItem, UnmatchedSummary } from '@regie/contract/routes/unmatched.ts';
import { routes } from '@regie/contract/routes.ts';
import { UnmatchedReason } from '@regie/contract/unmatched.ts';
import { formatLongMonth, formatMoney, formatMonths } from '@regie/values/formats.ts';
import { fold } from '@regie/values/search-text.ts';
import { IconChecks } from '@tabler/icons-react';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { frRecords } from '#src/domain/records.fr.ts';
import { toRate } from '#src/domain/to-rate.ts';
import { TrackLink } from '#src/domain/tracks/track-link.tsx';
import { useAct } from '#src/lib/act.ts';
import { api, errorSentence, type ListParams } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { useShortcutsPreference } from '#src/lib/key-shortcuts.ts';
import { monthFromParam } from '#src/lib/months.ts';
import { useCan } from '#src/lib/session.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Exact } from '#src/ui/exact.tsx';
import { KeyFigures } from '#src/ui/key-figures.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { filterQuery, type ListFilter, selectFilter, valuesFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import type { ListTab } from '#src/ui/list/list-toolbar.tsx';
import { moneyColumn } from '#src/ui/list/value-columns.tsx';
import { Money } from '#src/ui/money.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { SuccessWithUndo } from '#src/ui/success-with-undo.tsx';
import { AliasList } from './alias-list.tsx';
import { assign, Finished, unassignAll } from './assign.tsx';
import { AssignModal } from './assign-modal.tsx';
import { summaryQuery } from './unmatched.api.ts';
import { frUnmatched } from './unmatched.fr.ts';
import classes from './unmatched.module.css';
import { amountsText, contextOf, itemName, trackText, withoutRateText } from './unmatched-labels.tsx';

const t = frUnmatched;

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
    width: '28%',
    cell: (item) => <FileSide item={item} />,
    csv: (item) => item.title,
  },
  { key: 'artist', header: t.column.artist, csv: (item) => item.artist },
  { key: 'isrc', header: t.column.isrc, csv: (item) => item.isrc },
  { key: 'upc', header: t.column.upc, csv: (item) => item.upc },
  { key: 'reason', header: t.column.reason, csv: (item) => t.reason[item.reason] },
  {
    key: 'suggestion',
    header: 'Titre suggéré',
    width: '36%',
    cell: (item) => <Suggestion item={item} />,
    csv: ({ candidates: [first] }) => first?.trackTitle,
  },
  moneyColumn({
    key: 'amount',
    header: t.column.amount,
    sort: 'amount',
    cell: (item) => (
      <Exact text={moreText(item)}>
        {item.amountEur === 0 && item.withoutRate.length > 0 ? (
          withoutRateText(item)
        ) : (
          <Money amount={item.amountEur} currency="EUR" />
        )}
      </Exact>
    ),
    csv: (item) => item.amountEur,
  }),
  { key: 'withoutRate', header: 'Sans taux de change', csv: withoutRateText },
  { key: 'quantity', header: t.column.quantity, csv: (item) => item.quantity },
  {
    key: 'statements',
    header: 'Relevés',
    sort: 'newest',
    width: '18%',
    isSecondary: true,
    cell: (item) => <Statements item={item} />,
    csv: (item) => item.statements,
  },
  { key: 'fromMonth', header: 'Premier mois', type: 'month', csv: (item) => item.fromMonth },
  { key: 'toMonth', header: 'Dernier mois', type: 'month', csv: (item) => item.toMonth },
  { key: 'trackIsrc', header: t.column.trackIsrc, csv: ({ candidates: [first] }) => first?.isrc },
  { key: 'account', header: t.column.account, csv: ({ candidates: [first] }) => first?.userName },
  { key: 'ground', header: 'Ce qui le suggère', csv: ({ candidates: [first] }) => first && t.ground[first.ground] },
];

/** What the amount leaves out: other currencies, and what accepting moves beyond the filter. */
const moreText = (item: UnmatchedItem) => {
  const { totalEur, amountEur, withoutRate } = item;
  const isPart = totalEur !== null && formatMoney(totalEur, 'EUR') !== formatMoney(amountEur, 'EUR');
  const more = [
    isPart && t.inAll(formatMoney(totalEur, 'EUR')),
    withoutRate.length > 0 && t.without(withoutRateText(item)),
  ].filter(Boolean);
  return more.length > 0 ? more.join(', ') : undefined;
};

function Statements({ item }: { item: UnmatchedItem }) {
  const [newest] = item.lastStatements;
  const hidden = item.statements - 1;
  const others = hidden > 0 ? t.others(hidden) : undefined;
  if (!newest) return null;
  const months = formatMonths(item.fromMonth, item.toMonth);
  return (
    <span title={[newest.fileName, months, others].filter(Boolean).join(' · ')}>
      <Link className={`${shared.link} ${shared.oneLine}`} to={paths.storeStatement(newest.id)}>
        {newest.fileName}
      </Link>
      <span className={secondLine}>{others ?? months}</span>
    </span>
  );
}

const firstLine = shared.oneLine;
const secondLine = `${shared.under} ${shared.oneLine}`;

/** As in the file; the suggestion beside it begins with the same lines. */
function FileSide({ item }: { item: UnmatchedItem }) {
  const code = item.isrc ?? item.upc;
  return (
    <>
      <span className={firstLine}>
        <strong>{item.title || t.untitled}</strong> <span className={shared.muted}>{item.artist}</span>
      </span>
      <span className={secondLine}>
        {/* The row's opener may hold no button: its dialog copies the code. */}
        {code && <code>{code}</code>} {item.reason === 'no_isrc' && t.reason.no_isrc}
        {item.reason === 'doubled' && <StatusBadge tone="warning">{t.reason.doubled}</StatusBadge>}
      </span>
    </>
  );
}

function Suggestion({ item }: { item: UnmatchedItem }) {
  const [first] = item.candidates;
  if (!first) return <span className={shared.muted}>{t.noSuggestion}</span>;
  const equal = item.candidates.filter(({ ground }) => ground === first.ground);
  if (!item.isClear && equal.length > 1) {
    return (
      <>
        {t.severalTracks(equal.length)}
        <span className={secondLine} title={equal.map(trackText).join('\n')}>
          {equal.map(trackText).join(' / ')}
        </span>
      </>
    );
  }
  return (
    <>
      <span className={firstLine}>
        <TrackLink id={first.trackId} isInText>
          <Differing text={first.trackTitle} from={item.title} />
        </TrackLink>{' '}
        <span className={shared.muted}>
          <Differing text={first.artists} from={item.artist} />
        </span>
      </span>
      <span className={`${shared.under} ${shared.twoLines}`}>
        <code>
          <Differing text={first.isrc ?? ''} from={item.isrc ?? ''} />
        </code>{' '}
        {[t.ground[first.ground], contextOf({ ...first, artists: '' })].filter(Boolean).join(' · ')}
      </span>
    </>
  );
}

/** Marked where it differs from the file, which may say nothing. */
const Differing = ({ text, from }: { text: string; from: string }) =>
  text === '' || from === '' || fold(text) === fold(from) ? text : <mark className={classes.differs}>{text}</mark>;

function Inbox({ tabs }: { tabs: ListTab[] }) {
  const can = useCan();
  const canEdit = can('edit_reports');
  const { search } = useListState();
  const [opened, setOpened] = useState<string>();
  const [isSearching, setIsSearching] = useState(false);
  const [problem, setProblem] = useState<React.ReactNode>();
  const { act } = useAct({ onFailure: setProblem });
  const [shortcuts] = useShortcutsPreference();
  const baseFilters: ListFilter[] = [
    selectFilter(t.filter.reason, 'reason', t.reason, UnmatchedReason.options),
    { kind: 'month', label: t.filter.month, param: 'month' },
  ];
  const query: ListParams = Object.assign(
    { q: search.q, source: search.source },
    ...baseFilters.map((filter) => filterQuery(filter, search)),
  );
  const summary = useQuery(summaryQuery(query));
  // The URL's value is an option before the others are loaded.
  const sources = new Set([...(summary.data?.sources ?? []), ...(search.source ? [search.source] : [])]);
  const filters: ListFilter[] = [...baseFilters, valuesFilter(t.filter.source, 'source', [...sources])];
  const open = (item: UnmatchedItem, atSearch = false) => {
    setIsSearching(atSearch);
    setOpened(item.key);
  };
  return (
    <>
      <ListPage
        title={frScreens.reports.unmatched}
        route={routes.listUnmatched}
        columns={columns}
        rowKey={(item) => item.key}
        rowName={itemName}
        onRowOpen={open}
        hasWholeCards
        method={canEdit && shortcuts === 'on' ? `${t.method} ${t.keys}` : t.method}
        onRowKey={(key, item) => {
          const [first] = item.candidates;
          if (!canEdit || (key !== 'c' && key !== 'Enter')) return false;
          if (key === 'Enter' && first && item.isClear) act((options) => assign(item, first, options), item.key);
          else open(item, key === 'c');
          return true;
        }}
        searchPlaceholder={t.search}
        filters={filters}
        tabs={tabs}
        defaultSort={{ key: 'amount', order: 'desc' }}
        emptyByFilterTitle={t.emptyByFilter}
        empty={{ ...t.empty, link: { to: paths.statements, label: t.empty.toStatements } }}
        emptyByFilter={search.month !== undefined ? <BackToMonth month={search.month} /> : undefined}
        intro={
          <>
            <Message text={problem} onDismiss={setProblem} />
            <Figures query={summary} />
          </>
        }
        rowActions={
          canEdit ? (item) => <RowAction item={item} onChoose={() => open(item)} onProblem={setProblem} /> : undefined
        }
        selection={
          canEdit ? (items, clear) => <AcceptMany items={items} onDone={clear} onProblem={setProblem} /> : undefined
        }
      />
      <AssignModal itemKey={opened} isSearching={isSearching} onClose={() => setOpened(undefined)} />
    </>
  );
}

function BackToMonth({ month }: { month: string }) {
  const ms = monthFromParam(month);
  return ms === undefined ? null : (
    <LinkButton to={paths.month(month)}>{t.backToMonth(formatLongMonth(ms))}</LinkButton>
  );
}

function Figures({ query: { data: summary, error, refetch } }: { query: UseQueryResult<UnmatchedSummary> }) {
  const can = useCan();
  if (!summary && error) {
    return (
      <Notice tone="error" onRetry={() => void refetch()}>
        {errorSentence(error)}
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
        },
        {
          label: t.figures.withoutRate,
          value: summary && (withoutRateText(summary) || <span className={shared.muted}>{fr.common.none}</span>),
          hint: (
            <>
              {t.figures.withoutRateHint}
              {can('manage_settings') && summary?.missingRate && (
                <>
                  {' · '}
                  <Link {...toRate(summary.missingRate)}>{frRecords.addRate}</Link>
                </>
              )}
            </>
          ),
        },
      ]}
    />
  );
}

interface RowActionProps {
  item: UnmatchedItem;
  onChoose: () => void;
  onProblem: (problem: React.ReactNode) => void;
}

function RowAction({ item, onChoose, onProblem }: RowActionProps) {
  const { act, isBusy } = useAct({ onFailure: onProblem });
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

function AcceptMany({ items, onDone, onProblem }: AcceptManyProps) {
  const { act, isBusy } = useAct({ onFailure: onProblem });
  const names = new Map(items.map((item) => [item.key, itemName(item)]));
  const assignments = items.flatMap(({ key, isClear, candidates: [first] }) =>
    isClear && first ? [{ key, trackId: first.trackId }] : [],
  );
  const accept = () =>
    act(async ({ idempotencyKey }) => {
      const { data } = await api(routes.assignTracks, { body: { assignments }, idempotencyKey });
      if (data.assigned > 0) {
        const refused = new Set(data.refused.map(({ key }) => key));
        const assigned = assignments.filter(({ key }) => !refused.has(key)).map(({ key }) => key);
        flashSuccess(
          <SuccessWithUndo label={t.aliases.verbMany} undo={() => unassignAll(assigned)}>
            {t.doneMany(data.assigned, amountsText(data), t.statements(data.statements))}
            <Finished finished={data.finished} />
          </SuccessWithUndo>,
        );
      }
      if (data.refused.length > 0) {
        onProblem(
          <>
            {t.refused(data.refused.length)}
            <ul className={shared.bullets}>
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
    <Button size="compact-sm" loading={isBusy} leftSection={buttonIcon(IconChecks, 14)} onClick={accept}>
      {t.acceptMany(assignments.length)}
    </Button>
  );
}
