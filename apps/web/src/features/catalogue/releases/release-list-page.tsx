import { Box, Group, Stack, Text } from '@mantine/core';
import {
  aiLabel,
  anyEditLibraries,
  genres,
  type ReleaseListName,
  releaseLists,
  releaseStatuses,
} from '@regie/contract/releases.ts';
import type { ReleaseCard } from '@regie/contract/routes/releases.ts';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { frAi } from '#src/domain/ai/ai.fr.ts';
import { Cover } from '#src/domain/cover.tsx';
import { lookupAccounts } from '#src/domain/lookups.ts';
import { ReleaseBadge } from '#src/domain/release-badge.tsx';
import { formatTabCount, releaseCountsQuery } from '#src/domain/release-counts.ts';
import { fr } from '#src/lib/fr.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import type { ListFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { CellText, codeColumn, dayColumn, longTextColumn, textColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { frNewRelease } from './new-release.fr.ts';
import { WizardLink } from './new-release-link.tsx';
import { QualityMark } from './quality.tsx';
import { artistOf, fullTitle, personName, qualityLabel } from './release-labels.ts';
import { listNames, listRoutes } from './releases.api.ts';
import { frReleases } from './releases.fr.ts';

const t = frReleases;

const columns: (ListColumn<ReleaseCard> & { of?: ReleaseListName })[] = [
  {
    key: 'title',
    header: 'Titre',
    sort: 'title',
    cell: (release) => (
      <Group component="span" gap={10} wrap="nowrap">
        <Cover release={release} size="row" />
        {/* A text that is cut to a line has the column's width, not that of the text beside it. */}
        <Box component="span" flex={1} miw={0}>
          <span className={`${shared.name} ${shared.twoLines}`}>{fullTitle(release)}</span>
          <Box component="span" fz={12} className={`${shared.muted} ${shared.oneLine}`}>
            {artistOf(release) ?? t.noArtist}
          </Box>
        </Box>
      </Group>
    ),
    csv: (release) => release.title,
  },
  { key: 'version', header: 'Version', csv: (release) => release.version },
  { key: 'artist', header: 'Artiste', csv: artistOf },
  { key: 'label', header: 'Label', csv: (release) => release.label },
  { key: 'coverAi', header: frAi.coverAi, csv: (release) => aiLabel(release.coverAi) },
  {
    key: 'note',
    header: 'Note',
    of: 'unpublished',
    cell: (release) =>
      release.note ? <CellText>{release.note}</CellText> : <span className={shared.muted}>{t.noNote}</span>,
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
  longTextColumn({ key: 'account', header: 'Compte', csv: (release) => personName(release.Account) }),
  dayColumn({
    key: 'createdAt',
    header: 'Ajoutée le',
    sort: 'createdAt',
    isTableOnly: true,
    csv: (release) => release.createdAt,
  }),
  {
    key: 'quality',
    header: 'Contrôle qualité',
    cell: (release) => <QualityMark quality={release.quality} />,
    csv: (release) => qualityLabel(release.quality),
  },
  {
    key: 'status',
    header: 'État',
    csv: (release) => releaseStatuses[release.status].label,
  },
];

/** Columns that drafts rarely fill; they stay in the export. */
const leftOut = ['genre', 'originalDate', 'barcode'];

/** An unpublished release is a row with title and note, which takes the width (product §12.5). */
function columnsOf(list: ReleaseListName) {
  const shown = columns.filter((column) => column.of === undefined || column.of === list);
  if (list !== 'unpublished') return shown;
  return shown.map((column) => {
    if (column.key === 'quality') return { ...column, isTableOnly: true };
    return leftOut.includes(column.key) ? { ...column, cell: undefined } : column;
  });
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
          <WizardLink step="tracks" leftSection={buttonIcon(IconPlus)}>
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
      <Stack flex={1} gap={4} p="14px 16px 16px" className={shared.wrap}>
        <Group align="flex-start" justify="space-between" gap="6px 12px">
          <Text component="h2" miw={0} fz={15} fw={620} lh="22px" lineClamp={3}>
            {title}
          </Text>
          <ReleaseBadge status={release.status} />
        </Group>
        <p className={shared.note}>{artistOf(release) ?? t.noArtist}</p>
        <p className={shared.note}>
          {release.genre ?? t.noGenre} · {release.originalRealeaseDate ?? t.noDate}
        </p>
        <Group justify="space-between" gap={10} mt="auto" pt={12}>
          <QualityMark quality={release.quality} />
          <LinkButton
            to={paths.release(release.id)}
            state={{ releaseCard: release }}
            preload="intent"
            variant="default"
            data-row-open
            ml="auto"
            className={shared.covering}
            aria-label={`${t.see}${fr.common.colon}${title}`}
          >
            {t.see}
          </LinkButton>
        </Group>
      </Stack>
    </>
  );
}
