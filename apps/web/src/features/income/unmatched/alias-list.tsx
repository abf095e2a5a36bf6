import { Button } from '@mantine/core';
import type { Alias } from '@regie/contract/routes/unmatched.ts';
import { routes } from '@regie/contract/routes.ts';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { api } from '#src/lib/api.ts';
import { type DialogState, useAsked } from '#src/lib/asked.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { DateText } from '#src/ui/dates.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import type { ListTab } from '#src/ui/list/list-toolbar.tsx';
import { moneyColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { tellUnassigned } from './assign.tsx';
import { frUnmatched } from './unmatched.fr.ts';
import { Amounts, amountsText, Codes, ItemCell, itemName, TrackCell } from './unmatched-labels.tsx';

const t = frUnmatched;

const columns: ListColumn<Alias>[] = [
  {
    key: 'title',
    header: t.column.item,
    sort: 'title',
    cell: (alias) => <ItemCell item={alias} />,
    csv: (alias) => alias.title,
  },
  { key: 'artist', header: t.column.artist, csv: (alias) => alias.artist },
  { key: 'codes', header: t.column.code, cell: (alias) => <Codes item={alias} /> },
  { key: 'isrc', header: t.column.isrc, csv: (alias) => alias.isrc },
  { key: 'upc', header: t.column.upc, csv: (alias) => alias.upc },
  {
    key: 'track',
    header: 'Attribué à',
    cell: (alias) => <TrackCell track={alias.track} />,
    csv: (alias) => alias.track.trackTitle,
  },
  { key: 'trackIsrc', header: t.column.trackIsrc, csv: (alias) => alias.track.isrc },
  { key: 'release', header: 'Sortie', csv: (alias) => alias.track.libraryTitle },
  { key: 'account', header: t.column.account, csv: (alias) => alias.track.userName },
  moneyColumn({
    key: 'waiting',
    header: 'En attente',
    cell: (alias) => <Amounts of={alias.waiting} />,
    csv: (alias) => alias.waiting.amountEur,
  }),
  moneyColumn({
    key: 'posted',
    header: 'Déjà en rapport',
    cell: (alias) => <Amounts of={alias.posted} />,
    csv: (alias) => alias.posted.amountEur,
  }),
  {
    key: 'date',
    header: 'Date',
    sort: 'date',
    cell: (alias) => (
      <>
        <DateText ms={alias.assignedAt} />
        <span className={shared.under}>{alias.assignedBy ?? fr.common.system}</span>
      </>
    ),
    type: 'day',
    csv: (alias) => alias.assignedAt,
  },
  { key: 'by', header: 'Attribué par', csv: (alias) => alias.assignedBy },
];

export function AliasList({ tabs }: { tabs: ListTab[] }) {
  const canEdit = useCan()('edit_reports');
  const { subject: undone, ask, dialog } = useAsked<Alias>();
  return (
    <>
      <ListPage
        title={frScreens.reports.unmatched}
        route={routes.listAliases}
        columns={columns}
        rowKey={(alias) => alias.key}
        hasWholeCards
        rowName={itemName}
        isCounted={false}
        searchPlaceholder={t.aliases.search}
        tabs={tabs}
        defaultSort={{ key: 'date', order: 'desc' }}
        exportName={t.exportName}
        empty={{
          title: t.aliases.emptyTitle,
          text: t.aliases.emptyText,
          link: { to: paths.unmatched, label: t.aliases.toInbox },
        }}
        rowActions={
          canEdit
            ? (alias) => (
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={t.aliases.undoName(itemName(alias))}
                  onClick={() => ask(alias)}
                >
                  {t.aliases.undo}
                </Button>
              )
            : undefined
        }
      />
      {undone && <UndoAlias key={undone.key} alias={undone} {...dialog} />}
    </>
  );
}

function UndoAlias({ alias, ...dialog }: { alias: Alias } & DialogState) {
  const { waiting, posted } = alias;
  return (
    <ConfirmModal
      {...dialog}
      name={t.aliases.name(
        [itemName(alias), alias.isrc ?? alias.upc].filter(Boolean).join(', '),
        alias.track.trackTitle,
      )}
      consequence={
        waiting.statements > 0
          ? t.aliases.consequenceWaiting(amountsText(waiting), t.statements(waiting.statements))
          : t.aliases.consequenceNothing
      }
      verb={t.aliases.verb}
      onConfirm={async (options) => {
        const { data } = await api(routes.unassignTrack, { params: { key: alias.key }, ...options });
        flashSuccess(tellUnassigned(data));
      }}
    >
      {posted.statements > 0 && (
        <p className={shared.note}>
          {t.aliases.consequencePosted(amountsText(posted), t.statements(posted.statements))}
        </p>
      )}
    </ConfirmModal>
  );
}
