import { Box } from '@mantine/core';
import type { Statement } from '@regie/contract/routes/statements.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger, formatMoney } from '@regie/values/formats.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { nameLine } from '#src/domain/tracks/line-names.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { DateText } from '#src/ui/dates.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { type ListFilter, selectFilter, valuesFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { moneyColumn } from '#src/ui/list/value-columns.tsx';
import { Money } from '#src/ui/money.tsx';
import shared from '#src/ui/shared.module.css';
import { PresetList } from './preset-list.tsx';
import { StatementDrop } from './statement-drop.tsx';
import { monthsOf, presetLabel, ReadingProgress, StatementBadge, ToUnmatched } from './statement-labels.tsx';
import { sourcesQuery } from './statements.api.ts';
import { frStatements } from './statements.fr.ts';
import classes from './statements.module.css';

const t = frStatements;

/** A loaded statement without a sum in EUR lacks a rate: its amounts are in their currencies, euros last. */
const amountCell = ({ amountEur, amounts }: Statement) => {
  if (amountEur !== null) return <Money amount={amountEur} currency="EUR" />;
  if (amounts.length === 0) return fr.common.none;
  const parts = amounts.toSorted((one, other) => Number(one.currency === 'EUR') - Number(other.currency === 'EUR'));
  return (
    <>
      {parts.map(({ currency, amount }) => formatMoney(amount, currency)).join(' + ')}
      <span className={shared.under} data-table-only>
        {t.months.noRateShort}
      </span>
    </>
  );
};
const amountsText = ({ amounts }: Statement) =>
  amounts.map(({ currency, amount }) => formatMoney(amount, currency)).join(', ');

function MapLink({ id }: { id: number }) {
  return useCan()('edit_reports') ? (
    <Link className={`${shared.under} ${shared.textLink}`} to={paths.statementMapping(id)}>
      {t.again.map}
    </Link>
  ) : null;
}

const columns: ListColumn<Statement>[] = [
  {
    key: 'file',
    header: 'Fichier',
    cell: (statement) => (
      <>
        <span className={shared.name}>{statement.source ?? statement.fileName}</span>
        {statement.source !== null && <span className={shared.under}>{statement.fileName}</span>}
      </>
    ),
    csv: (statement) => statement.fileName,
  },
  { key: 'source', header: t.column.source, csv: (statement) => statement.source ?? '' },
  {
    key: 'status',
    header: t.column.state,
    width: '200px',
    cell: (statement) => (
      <div className={classes.state}>
        <StatementBadge state={statement.state} />
        {/* Beside a state that follows validation it would say the opposite. */}
        {statement.preset && statement.status === 'loaded' && (
          <span className={shared.under}>{presetLabel(statement.preset)}</span>
        )}
        {statement.problem && (
          <span className={classes.problem}>
            {statement.problem.line !== null && t.page.refusedAt(nameLine(statement.problem.line))}
            {statement.problem.message}
          </span>
        )}
        <ReadingProgress statement={statement} />
        {statement.status === 'unrecognised' && <MapLink id={statement.id} />}
      </div>
    ),
    csv: (statement) => t.state[statement.state],
  },
  { key: 'months', header: 'Mois', width: '170px', isCode: true, cell: monthsOf },
  { key: 'firstMonth', header: 'Premier mois', type: 'month', csv: (statement) => statement.firstMonth },
  { key: 'lastMonth', header: 'Dernier mois', type: 'month', csv: (statement) => statement.lastMonth },
  moneyColumn({
    key: 'amount',
    header: 'Montant',
    total: fr.list.total,
    width: '170px',
    cell: (statement) => (statement.status === 'unpacked' ? t.count(statement.memberCount) : amountCell(statement)),
    csv: (statement) => statement.amountEur,
  }),
  { key: 'amounts', header: 'Montant sans taux de change', csv: amountsText },
  moneyColumn({
    key: 'unmatched',
    header: 'Non attribué',
    width: '120px',
    isSecondary: true,
    cell: (statement) =>
      statement.unmatchedEur ? (
        <ToUnmatched
          statement={statement}
          month={statement.firstMonth === statement.lastMonth ? statement.firstMonth : null}
        >
          <Money amount={statement.unmatchedEur} currency="EUR" />
        </ToUnmatched>
      ) : statement.unmatchedEur === null ? (
        fr.common.none
      ) : (
        <Money amount={statement.unmatchedEur} currency="EUR" />
      ),
    csv: (statement) => statement.unmatchedEur,
  }),
  {
    key: 'rows',
    header: 'Lignes',
    width: '90px',
    align: 'right',
    isSecondary: true,
    cell: (statement) => (statement.rows > 0 ? formatInteger(statement.rows) : fr.common.none),
    csv: (statement) => statement.rows,
  },
  {
    key: 'date',
    header: 'Reçu le',
    sort: 'date',
    cell: (statement) => (
      <>
        <DateText ms={statement.createdAt} />
        <Box
          data-table-only
          component="span"
          maw={150}
          className={`${shared.under} ${shared.cut}`}
          title={statement.createdBy ?? undefined}
        >
          {statement.createdBy ?? fr.common.system}
        </Box>
      </>
    ),
    type: 'day',
    csv: (statement) => statement.createdAt,
  },
  { key: 'by', header: 'Par', csv: (statement) => statement.createdBy ?? '' },
];

export default function StatementListPage() {
  const can = useCan();
  const sources = useQuery(sourcesQuery);
  const filters: ListFilter[] = [
    selectFilter(t.column.state, 'status', { ...t.state, blocked: t.list.blocked }),
    valuesFilter(t.column.source, 'source', sources.data ?? []),
    { kind: 'month', label: t.column.month, param: 'month' },
    { kind: 'select', label: t.list.ended, param: 'ended', options: [{ value: 'true', label: t.list.endedShown }] },
  ];
  return (
    <ListPage
      title={t.list.title}
      route={routes.listStatements}
      columns={columns}
      rowName={(statement) => statement.fileName}
      rowLink={(statement) => ({ to: paths.storeStatement(statement.id) })}
      searchPlaceholder={t.list.search}
      filters={filters}
      defaultSort={{ key: 'date', order: 'desc' }}
      actions={
        <>
          <PresetList />
          {can('edit_reports') && <StatementDrop isMain />}
        </>
      }
      empty={{ title: t.list.emptyTitle, text: can('edit_reports') ? t.list.emptyText : t.list.emptyRead }}
    />
  );
}
