import { type Report, ReportType } from '@regie/contract/routes/reports.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger, formatMonth } from '@regie/values/formats.ts';
import { IconPlus } from '@tabler/icons-react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { lookupAccounts } from '#src/domain/lookups.ts';
import { TrackLink } from '#src/domain/tracks/track-link.tsx';
import { fr } from '#src/lib/fr.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { Identifier } from '#src/ui/copy-button.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import type { ListFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { codeColumn, moneyColumn, monthColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { frReports } from './reports.fr.ts';

const t = frReports;

const accountName = (report: Report) => `${report.Account.fname} ${report.Account.lname}`.trim();
const reportName = (report: Report) => report.Track?.title ?? accountName(report);

const countColumn = (key: string, header: string, of: (report: Report) => number) => ({
  key,
  header,
  align: 'right' as const,
  of: 'platform' as const,
  cell: (report: Report) => (report.type === 'platform' ? formatInteger(of(report)) : fr.common.none),
  csv: of,
});

const columns: (ListColumn<Report> & { of?: ReportType })[] = [
  {
    key: 'name',
    header: 'Titre ou compte',
    cell: (report) => (
      <>
        <span className={shared.name}>{reportName(report)}</span>
        <span className={shared.under}>{report.Track ? accountName(report) : t.type[report.type]}</span>
      </>
    ),
    csv: reportName,
  },
  { key: 'account', header: t.account, csv: accountName },
  codeColumn({
    key: 'isrc',
    header: t.column.isrc,
    cell: ({ Track: track }) =>
      track?.isrc ? (
        <Identifier value={track.isrc} name={t.column.isrc}>
          <TrackLink id={track.id}>{track.isrc}</TrackLink>
        </Identifier>
      ) : (
        fr.common.none
      ),
    csv: (report) => report.Track?.isrc,
  }),
  monthColumn({ key: 'month', header: t.column.month, sort: 'month', csv: (report) => report.fromDate }),
  { key: 'type', header: t.column.type, csv: (report) => t.type[report.type] },
  countColumn('streams', 'Écoutes', (report) => report.numOfStreams),
  {
    key: 'incomeOfStreams',
    header: t.fields.incomeOfStreams,
    type: 'exactMoney',
    unit: 'USD',
    csv: (report) => report.incomeOfStreams,
  },
  { ...countColumn('downloads', 'Téléchargements', (report) => report.numOfDownloads), isSecondary: true },
  {
    key: 'incomeOfDownloads',
    header: t.fields.incomeOfDownloads,
    type: 'exactMoney',
    unit: 'USD',
    csv: (report) => report.incomeOfDownloads,
  },
  { key: 'numOfYoutube', header: t.fields.numOfYoutube, csv: (report) => report.numOfYoutube },
  moneyColumn({
    key: 'video',
    header: 'Revenus vidéo',
    isSecondary: true,
    type: 'exactMoney',
    unit: 'USD',
    csv: (report) => report.incomeOfYoutube,
  }),
  moneyColumn({
    key: 'total',
    header: 'Total',
    total: fr.list.total,
    type: 'exactMoney',
    unit: 'USD',
    csv: (report) => report.totalIncome,
  }),
];

const filters: ListFilter[] = [
  { kind: 'months', label: t.column.month, fromParam: 'from', toParam: 'to' },
  { kind: 'lookup', label: t.account, param: 'userId', lookup: lookupAccounts },
];
const importFilter: ListFilter = { kind: 'text', label: t.column.import, param: 'import' };

export default function ReportListPage() {
  const can = useCan();
  const { search, keep } = useListState();
  const segment = usePageLocation().pathname.split('/')[2];
  const type = ReportType.safeParse(segment).data;
  return (
    <ListPage
      title={frScreens.reports.title}
      route={routes.listReports}
      query={{ type }}
      columns={columns.filter((column) => column.of === undefined || type !== 'youtube')}
      rowName={(report) => `${reportName(report)}, ${formatMonth(report.fromDate)}`}
      rowLink={(report) => ({ to: paths.report(report.id) })}
      searchPlaceholder={t.searchPlaceholder}
      filters={search.import ? [...filters, importFilter] : filters}
      tabs={(['all', 'platform', 'youtube'] as const).map((tab) => ({
        label: t.typeTab[tab],
        to: paths.reporting(tab),
        search: keep('q', 'from', 'to', 'userId', 'import'),
        isCurrent: tab === (type ?? 'all'),
      }))}
      defaultSort={{ key: 'month', order: 'desc' }}
      actions={can('edit_reports') && <AddButton type={type} isPrimary />}
      empty={{ title: t.emptyTitle, text: t.emptyText, action: can('edit_reports') && <AddButton type={type} /> }}
    />
  );
}

function AddButton({ type, isPrimary }: { type: ReportType | undefined; isPrimary?: boolean }) {
  const isVideo = type === 'youtube';
  return (
    <LinkButton
      to={isVideo ? paths.addYoutubeReport : paths.addPlatformReport}
      variant={isPrimary ? 'filled' : 'default'}
      leftSection={buttonIcon(IconPlus)}
    >
      {isVideo ? frReports.youtube.title : t.add}
    </LinkButton>
  );
}
