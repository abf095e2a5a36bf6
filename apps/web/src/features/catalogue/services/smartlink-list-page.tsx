import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { type SmartlinkRow, SmartlinkUrls } from '@regie/contract/routes/smartlinks.ts';
import { routes } from '@regie/contract/routes.ts';
import { smartlinkPlatformNames, smartlinkPlatforms } from '@regie/contract/smartlinks.ts';
import { IconExternalLink, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { formatInteger } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { Identifier } from '#src/ui/copy-button.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import type { ListTab } from '#src/ui/list/list-toolbar.tsx';
import { dayColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { NewSmartlinkModal } from './new-smartlink-modal.tsx';
import { frServices } from './services.fr.ts';
import classes from './services.module.css';
import { SmartlinkClicksModal } from './smartlink-clicks-modal.tsx';

const t = frServices.smartlinks;

// Each status has its own list, chosen by the URL.
const lists = {
  pending: { ...routes.listSmartlinks, path: '/smartlink/list/pending' },
  enabled: { ...routes.listSmartlinks, path: '/smartlink/list/enabled' },
} as const;
const statuses = ['pending', 'enabled'] as const;

const platformsOf = (row: SmartlinkRow): string[] => {
  const urls = SmartlinkUrls.parse(JSON.parse(row.urls));
  return smartlinkPlatforms.flatMap((name) => (urls[name] === undefined ? [] : [smartlinkPlatformNames[name]]));
};
const recentClicks = (row: SmartlinkRow) => row.clicksByDay.reduce((sum, clicks) => sum + clicks, 0);

/** Clicks of the last days as thin bars, beside the figures. */
function Sparkline({ days }: { days: readonly number[] }) {
  const most = Math.max(1, ...days);
  const bars = days.map((clicks, day) => {
    const height = clicks === 0 ? 1 : Math.max(2, (clicks / most) * 20);
    return `M${day * 3 + 1} 20v${-height.toFixed(1)}`;
  });
  return (
    <svg className={classes.spark} viewBox={`0 0 ${days.length * 3} 20`} aria-hidden>
      <path d={bars.join('')} />
    </svg>
  );
}

/** Pending or public smartlinks, depending on the URL (product §22.10). */
export default function SmartlinkListPage() {
  const can = useCan();
  const navigate = useNavigate();
  const { keep } = useListState();
  const segment = usePageLocation().pathname.split('/')[3];
  const status = segment === 'enabled' ? 'enabled' : 'pending';
  const canEdit = can('edit_smartlink');
  // The selected one stays while its dialog closes.
  const [selected, setSelected] = useState<SmartlinkRow>();
  const [dialog, setDialog] = useState<'clicks' | 'delete' | 'new'>();
  const ask = (row: SmartlinkRow, next: 'clicks' | 'delete') => {
    setSelected(row);
    setDialog(next);
  };
  const close = () => setDialog(undefined);

  const columns: ListColumn<SmartlinkRow>[] = [
    {
      key: 'title',
      header: t.release,
      sort: 'title',
      cell: (row) => (
        <>
          <span className={classes.name}>{row.Library.title}</span>
          <span className={shared.under}>{row.Library.artist}</span>
          {row.Library.isWithdrawn && <StatusBadge tone="danger">{t.offline}</StatusBadge>}
        </>
      ),
      csv: (row) => row.Library.title,
    },
    { key: 'artist', header: t.artist, csv: (row) => row.Library.artist },
    {
      key: 'offline',
      header: t.statusField,
      csv: (row) => (row.Library.isWithdrawn ? t.offline : t.status[row.status]),
    },
    dayColumn({ key: 'createdAt', header: t.createdAt, sort: 'createdAt', csv: (row) => row.createdAt }),
    {
      key: 'link',
      header: t.link,
      cell: (row) => (
        <span className={classes.link}>
          <span data-table-only>
            <Identifier value={row.link} name={t.copyLink} />
          </span>
          <span data-card-only>{new URL(row.link).pathname}</span>
          {row.status === 'ENABLED' && !row.Library.isWithdrawn && (
            <a
              className={classes.open}
              href={row.link}
              target="_blank"
              rel="noopener"
              aria-label={t.openLink(row.Library.title)}
            >
              <IconExternalLink size={14} stroke={1.8} aria-hidden />
            </a>
          )}
        </span>
      ),
      csv: (row) => row.link,
    },
    {
      key: 'platforms',
      header: t.platforms,
      isSecondary: true,
      cell: (row) => (
        <span title={platformsOf(row).join(', ')}>
          {t.platformCount(platformsOf(row).length, smartlinkPlatforms.length)}
        </span>
      ),
      csv: (row) => platformsOf(row).join(', '),
    },
    {
      key: 'clicks',
      header: t.clicks,
      align: 'right',
      sort: 'clicks',
      cell: (row) => (
        <button
          type="button"
          className={classes.count}
          aria-label={`${t.clicksOf(row.Library.title)}${fr.common.colon}${formatInteger(row.clicks)}`}
          onClick={() => ask(row, 'clicks')}
        >
          <Sparkline days={row.clicksByDay} />
          <span className={classes.figures}>
            <strong>{formatInteger(row.clicks)}</strong>
            <span className={shared.under}>{t.clicksRecent(formatInteger(recentClicks(row)))}</span>
          </span>
        </button>
      ),
      csv: (row) => row.clicks,
    },
  ];

  const tabs: ListTab[] = statuses.map((value) => ({
    label: t.tab[value],
    to: paths.smartlinks(value),
    search: keep('q'),
    isCurrent: value === status,
  }));
  const create = canEdit && (
    <Button leftSection={buttonIcon(IconPlus)} onClick={() => setDialog('new')}>
      {t.create}
    </Button>
  );
  return (
    <>
      <ListPage
        key={status}
        id={`smartlinks.${status}`}
        title={t.title[status]}
        route={lists[status]}
        columns={columns}
        rowName={(row) => (canEdit ? t.edit(row.Library.title) : t.clicksOf(row.Library.title))}
        rowLink={canEdit ? (row) => ({ to: paths.smartlink(row.id) }) : undefined}
        onRowOpen={(row) => ask(row, 'clicks')}
        searchPlaceholder={t.search}
        tabs={tabs}
        defaultSort={{ key: 'createdAt', order: 'desc' }}
        exportName={t.exportName[status]}
        actions={create}
        empty={{
          title: t.emptyTitle[status],
          text: t.emptyText[status],
          action: status === 'pending' ? create : undefined,
        }}
        rowActions={
          canEdit
            ? (row) => (
                <>
                  <Tooltip label={fr.common.edit}>
                    <ActionIcon
                      renderRoot={(props) => <Link {...props} to={paths.smartlink(row.id)} />}
                      variant="default"
                      size={32}
                      aria-label={t.edit(row.Library.title)}
                    >
                      <IconPencil size={16} stroke={1.8} />
                    </ActionIcon>
                  </Tooltip>
                  <Tooltip label={fr.common.remove}>
                    <ActionIcon
                      variant="default"
                      c="var(--negative)"
                      size={32}
                      aria-label={t.remove(row.Library.title)}
                      onClick={() => ask(row, 'delete')}
                    >
                      <IconTrash size={16} stroke={1.8} />
                    </ActionIcon>
                  </Tooltip>
                </>
              )
            : undefined
        }
      />
      <NewSmartlinkModal
        isOpen={dialog === 'new'}
        onClose={close}
        onCreated={({ id }, message) => {
          flashSuccess(message, { afterNavigation: true });
          void navigate({ to: paths.smartlink(id) });
        }}
      />
      {selected && (
        <>
          <SmartlinkClicksModal smartlink={selected} isOpen={dialog === 'clicks'} onClose={close} />
          <ConfirmModal
            isOpen={dialog === 'delete'}
            onClose={close}
            name={selected.Library.title}
            consequence={t.removeConsequence(selected.link, selected.clicks)}
            verb={t.removeVerb}
            onConfirm={() => api(routes.deleteSmartlink, { params: { id: selected.id } })}
          />
        </>
      )}
    </>
  );
}
