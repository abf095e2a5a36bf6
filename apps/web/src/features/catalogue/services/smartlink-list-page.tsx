import { ActionIcon, Box, Button, Group, Skeleton, Stack } from '@mantine/core';
import type { LookupItem } from '@regie/contract/routes/accounting.ts';
import {
  NewSmartlinkForm,
  type SmartlinkClicks,
  type SmartlinkRow,
  SmartlinkUrls,
} from '@regie/contract/routes/smartlinks.ts';
import { routes } from '@regie/contract/routes.ts';
import { smartlinkPlatformNames, smartlinkPlatforms } from '@regie/contract/smartlinks.ts';
import { formatInteger, nbsp } from '@regie/values/formats.ts';
import { IconExternalLink, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { Cover } from '#src/domain/cover.tsx';
import { lookupReleases } from '#src/domain/lookups.ts';
import { api, apiQuery } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { Identifier } from '#src/ui/copy-button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { Form, fieldProps } from '#src/ui/form.tsx';
import { IconButton } from '#src/ui/icon-button.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { dayColumn } from '#src/ui/list/value-columns.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { LookupField } from '#src/ui/lookup-field.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { frServices } from './services.fr.ts';
import classes from './services.module.css';

const t = frServices.smartlinks;

const statuses = ['pending', 'enabled'] as const;

const platformsOf = (row: SmartlinkRow): string[] => {
  const urls = SmartlinkUrls.parse(JSON.parse(row.urls));
  return smartlinkPlatforms.flatMap((name) => (urls[name] === undefined ? [] : [smartlinkPlatformNames[name]]));
};
const recentClicks = (row: SmartlinkRow) => row.clicksByDay.reduce((sum, clicks) => sum + clicks, 0);

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
  const { subject: clicked, ask: askClicks, dialog: clicks } = useAsked<SmartlinkRow>();
  const { subject: removed, ask: askRemoval, dialog: removal } = useAsked<SmartlinkRow>();
  const { ask: askNew, dialog: creation } = useAsked<void>();

  const columns: ListColumn<SmartlinkRow>[] = [
    {
      key: 'title',
      header: t.release,
      sort: 'title',
      cell: (row) => (
        <Group component="span" gap={10} wrap="nowrap">
          <Cover release={row.Library} size="row" />
          <Box component="span" flex={1} miw={0}>
            <span className={shared.twoLines}>{row.Library.title}</span>
            <Box component="span" data-table-only fz={12} className={`${shared.muted} ${shared.oneLine}`}>
              {row.Library.artist}
            </Box>
            {row.Library.isWithdrawn && <StatusBadge tone="danger">{t.offline}</StatusBadge>}
          </Box>
        </Group>
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
            <ActionIcon
              component="a"
              variant="subtle"
              color="gray"
              size={28}
              href={row.link}
              target="_blank"
              rel="noopener"
              aria-label={t.openLink(row.Library.title)}
            >
              <IconExternalLink size={14} stroke={1.8} aria-hidden />
            </ActionIcon>
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
          onClick={() => askClicks(row)}
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

  const create = canEdit && (
    <Button leftSection={buttonIcon(IconPlus)} onClick={() => askNew()}>
      {t.create}
    </Button>
  );
  return (
    <>
      <ListPage
        key={status}
        id={`smartlinks.${status}`}
        title={t.title[status]}
        route={{ ...routes.listSmartlinks, path: `/smartlink/list/${status}` }}
        columns={columns}
        rowName={(row) => (canEdit ? t.edit(row.Library.title) : t.clicksOf(row.Library.title))}
        rowLink={canEdit ? (row) => ({ to: paths.smartlink(row.id) }) : undefined}
        onRowOpen={askClicks}
        searchPlaceholder={t.search}
        tabs={statuses.map((value) => ({
          label: t.tab[value],
          to: paths.smartlinks(value),
          search: keep('q'),
          isCurrent: value === status,
        }))}
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
                  <ActionIcon
                    renderRoot={(props) => <Link {...props} to={paths.smartlink(row.id)} />}
                    variant="default"
                    size={36}
                    aria-label={t.edit(row.Library.title)}
                    data-tip={fr.common.edit}
                  >
                    <IconPencil size={18} stroke={1.8} aria-hidden />
                  </ActionIcon>
                  <IconButton
                    variant="default"
                    icon={IconTrash}
                    label={t.remove(row.Library.title)}
                    tooltip={fr.common.remove}
                    onClick={() => askRemoval(row)}
                  />
                </>
              )
            : undefined
        }
      />
      <Dialog {...creation} title={t.create} size="md">
        <Form
          schema={NewSmartlinkForm}
          initialValues={{ release: null as LookupItem | null }}
          toBody={({ release }) => ({ libraryId: release?.id })}
          submit={(body, { idempotencyKey }) => api(routes.createSmartlink, { body, idempotencyKey })}
          onSuccess={({ data, message }) => {
            flashSuccess(message, { afterNavigation: true });
            void navigate({ to: paths.smartlink(data.id) });
          }}
          submitLabel={t.create}
        >
          {(form) => (
            <LookupField
              label={t.release}
              description={t.createHint}
              required
              lookup={lookupReleases}
              {...fieldProps(form, 'release', 'libraryId')}
            />
          )}
        </Form>
      </Dialog>
      {clicked && (
        <Dialog {...clicks} title={t.clicksOf(clicked.Library.title)} size="lg">
          <Clicks id={clicked.id} />
        </Dialog>
      )}
      {removed && (
        <ConfirmModal
          {...removal}
          name={removed.Library.title}
          consequence={t.removeConsequence(removed.link, removed.clicks)}
          verb={t.removeVerb}
          onConfirm={() => api(routes.deleteSmartlink, { params: { id: removed.id } })}
        />
      )}
    </>
  );
}

function Clicks({ id }: { id: number }) {
  const clicks = useQuery({
    ...apiQuery(['smartlink', id, 'clicks'], routes.getSmartlinkClicks, { params: { id } }),
    staleTime: 0,
  });
  return (
    <Loaded query={clicks} placeholder={<Skeleton h={160} />}>
      {(data) => <ClickTables clicks={data} />}
    </Loaded>
  );
}

function ClickTables({ clicks }: { clicks: SmartlinkClicks }) {
  const most = Math.max(1, ...clicks.platforms.map((one) => one.clicks));
  return (
    <Stack gap={20}>
      {clicks.platforms.length === 0 ? (
        <p className={shared.note}>{t.modal.none}</p>
      ) : (
        <>
          <Box component="h3" mb={-12} fz={14} fw={620}>
            {t.modal.byPlatform}
          </Box>
          <PlainTable
            name={t.modal.byPlatform}
            head={[t.modal.platform, { right: t.modal.clicks }, { hidden: t.modal.share }]}
          >
            <tbody>
              {clicks.platforms.map(({ platform, clicks: count }) => (
                <tr key={platform}>
                  <th scope="row">{smartlinkPlatformNames[platform]}</th>
                  <td data-align="right">{formatInteger(count)}</td>
                  <Box aria-hidden component="td" w="45%">
                    <svg aria-hidden className={classes.bar} viewBox="0 0 100 8" preserveAspectRatio="none">
                      <rect width={((count / most) * 100).toFixed(1)} height="8" />
                    </svg>
                  </Box>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">{t.modal.total}</th>
                <td data-align="right">{formatInteger(clicks.total)}</td>
                <td aria-hidden />
              </tr>
            </tfoot>
          </PlainTable>
          <Box component="h3" mb={-12} fz={14} fw={620}>
            {t.modal.byDay}
          </Box>
          <PlainTable
            name={t.modal.byDay}
            head={[t.modal.day, { right: t.modal.clicks }, t.modal.byPlatform]}
            isBoxed
            maxHeight={300}
          >
            <tbody>
              {clicks.days.map(({ day, platforms }) => (
                <tr key={day}>
                  <th scope="row">{day}</th>
                  <td data-align="right">{formatInteger(platforms.reduce((sum, one) => sum + one.clicks, 0))}</td>
                  <td>
                    {platforms
                      .map((one) => `${smartlinkPlatformNames[one.platform]}${nbsp}${formatInteger(one.clicks)}`)
                      .join(', ')}
                  </td>
                </tr>
              ))}
            </tbody>
          </PlainTable>
        </>
      )}
      <Box component="p" fz={12} className={shared.muted}>
        {t.modal.privacy}
      </Box>
    </Stack>
  );
}
