import {
  anyEditLibraries,
  genres,
  type ReleaseListName,
  releaseLists,
  releaseStatuses,
} from '@regie/contract/releases.ts';
import type { ReleaseCard } from '@regie/contract/routes/releases.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { lookupAccounts } from '#src/domain/lookups.ts';
import { formatTabCount, releaseCountsQuery } from '#src/domain/release-counts.ts';
import { fr } from '#src/lib/fr.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { useCan } from '#src/lib/session.ts';
import { LinkButton } from '#src/ui/link-button.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import type { ListFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { codeColumn, dayColumn, textColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { Cover } from './cover.tsx';
import { frNewRelease } from './new-release.fr.ts';
import { WizardLink } from './new-release-link.tsx';
import { QualityMark } from './quality.tsx';
import { ReleaseBadge } from './release-badge.tsx';
import { artistOf, fullTitle, personName, qualityLabel } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';
import classes from './releases.module.css';

const t = frReleases;

/** Each list is a separate call with its own capability (product §17.3). */
const listRoutes = {
  unpaid: routes.listUnpaidReleases,
  paid: routes.listPaidReleases,
  delivered: routes.listDeliveredReleases,
  unpublished: routes.listUnpublishedReleases,
} as const satisfies Record<ReleaseListName, unknown>;
const listNames = Object.keys(listRoutes) as ReleaseListName[];

const columns: (ListColumn<ReleaseCard> & { of?: ReleaseListName })[] = [
  {
    key: 'title',
    header: 'Titre',
    sort: 'title',
    cell: (release) => (
      <span className={classes.identity}>
        <Cover release={release} size="row" />
        <span>
          <span className={`${classes.name} ${shared.twoLines}`}>{fullTitle(release)}</span>
          <span className={`${classes.hint} ${shared.oneLine}`}>{artistOf(release) ?? t.noArtist}</span>
        </span>
      </span>
    ),
    csv: (release) => release.title,
  },
  { key: 'version', header: 'Version', csv: (release) => release.version },
  { key: 'artist', header: 'Artiste', csv: artistOf },
  { key: 'label', header: 'Label', csv: (release) => release.label },
  {
    key: 'note',
    header: 'Note',
    of: 'unpublished',
    cell: (release) =>
      release.note ? (
        <span className={`${classes.cellText} ${shared.twoLines}`}>{release.note}</span>
      ) : (
        <span className={shared.muted}>{t.noNote}</span>
      ),
    csv: (release) => release.note,
  },
  textColumn({ key: 'genre', header: 'Genre', isSecondary: true, csv: (release) => release.genre }),
  textColumn({
    key: 'originalDate',
    header: 'Sortie originale',
    type: 'day',
    csv: (release) => release.originalRealeaseDate,
  }),
  codeColumn({ key: 'barcode', header: 'Code-barres', isSecondary: true, csv: (release) => release.barcode }),
  {
    key: 'account',
    header: 'Compte',
    cell: (release) => <span className={`${classes.cellText} ${shared.twoLines}`}>{personName(release.Account)}</span>,
    csv: (release) => personName(release.Account),
  },
  dayColumn({ key: 'createdAt', header: 'Ajoutée le', sort: 'createdAt', csv: (release) => release.createdAt }),
  {
    key: 'quality',
    header: 'Contrôle qualité',
    cell: (release) => <QualityMark quality={release.quality} />,
    csv: (release) => qualityLabel(release.quality),
  },
  {
    key: 'status',
    header: 'État',
    cell: (release) => <ReleaseBadge status={release.status} />,
    csv: (release) => releaseStatuses[release.status].label,
  },
];

/** Columns that drafts rarely fill; they stay in the export. */
const leftOut = ['genre', 'originalDate', 'barcode'];

/** An unpublished release is a row with title and note, which takes the width (product §12.5). */
function columnsOf(list: ReleaseListName) {
  const shown = columns.filter((column) => column.of === undefined || column.of === list);
  if (list !== 'unpublished') return shown;
  return shown.map((column) => (leftOut.includes(column.key) ? { ...column, cell: undefined } : column));
}

const filters: ListFilter[] = [
  { kind: 'select', label: t.genre, param: 'genre', options: genres.map((genre) => ({ value: genre, label: genre })) },
  { kind: 'days', label: t.period, fromParam: 'from', toParam: 'to' },
];
const accountFilter: ListFilter = { kind: 'lookup', label: t.account, param: 'userId', lookup: lookupAccounts };

export default function ReleaseListPage() {
  const can = useCan();
  const segment = usePageLocation().pathname.split('/')[3];
  const list = listNames.find((name) => name === segment) ?? 'unpaid';
  const { search, keep } = useListState();
  const counts = useQuery(releaseCountsQuery);
  const canFindAccounts = can('manage_profiles') || can('read_reports') || can('edit_reports');
  const mayCreate = anyEditLibraries.some(can);
  return (
    <ListPage
      id="releases"
      title={releaseLists[list].label}
      actions={
        mayCreate && (
          <WizardLink step="tracks" leftSection={<IconPlus size={16} stroke={2} aria-hidden />}>
            {frScreens.releases.new}
          </WizardLink>
        )
      }
      route={listRoutes[list]}
      columns={columnsOf(list)}
      rowName={(release) => `${fullTitle(release)}, ${artistOf(release) ?? t.noArtist}`}
      rowLink={(release) => ({ to: paths.release(release.id), state: { releaseCard: release } })}
      rowActions={mayCreate && list === 'unpublished' ? (release) => <Resume release={release} /> : undefined}
      card={list === 'unpublished' ? undefined : (release) => <Card release={release} />}
      searchPlaceholder={t.searchPlaceholder}
      filters={canFindAccounts || search.userId ? [...filters, accountFilter] : filters}
      tabs={listNames
        .filter((name) => can(releaseLists[name].read))
        .map((name) => ({
          label: t.tab[name],
          to: paths.releases(name),
          search: keep('q', 'genre', 'from', 'to', 'userId'),
          isCurrent: name === list,
          count: formatTabCount(counts.data?.[name]),
        }))}
      defaultSort={{ key: 'createdAt', order: 'desc' }}
      exportName={t.exportName[list]}
      empty={{ title: t.emptyTitle, text: t.emptyText[list] }}
    />
  );
}

/** A draft opens the wizard at its current step. */
function Resume({ release }: { release: ReleaseCard }) {
  if (release.status !== 'DRAFT') return null;
  return (
    <WizardLink
      step="tracks"
      releaseId={release.id}
      variant="default"
      aria-label={frNewRelease.resumeOf(fullTitle(release))}
    >
      {frNewRelease.resume}
    </WizardLink>
  );
}

/** The card of product §12.5. */
function Card({ release }: { release: ReleaseCard }) {
  const title = fullTitle(release);
  return (
    <>
      <Cover release={release} size="card" />
      <div className={classes.cardBody}>
        <div className={classes.cardHead}>
          <h2 className={classes.cardTitle}>{title}</h2>
          <ReleaseBadge status={release.status} />
        </div>
        <p className={classes.cardLine}>{artistOf(release) ?? t.noArtist}</p>
        <p className={classes.cardLine}>
          {release.genre ?? t.noGenre} · {release.originalRealeaseDate ?? t.noDate}
        </p>
        <div className={classes.cardFoot}>
          <QualityMark quality={release.quality} />
          <LinkButton
            to={paths.release(release.id)}
            state={{ releaseCard: release }}
            preload="intent"
            variant="default"
            data-row-open
            className={classes.cardOpener}
            aria-label={`${t.see}${fr.common.colon}${title}`}
          >
            {t.see}
          </LinkButton>
        </div>
      </div>
    </>
  );
}
