import { Box, Button } from '@mantine/core';
import type { Ticket } from '@regie/contract/routes/tickets.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatTicketNumber } from '@regie/contract/tickets.ts';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { lookupAccounts } from '#src/domain/lookups.ts';
import { useWaitingCount } from '#src/domain/waiting.ts';
import { fr } from '#src/lib/fr.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import type { ListFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import type { ListTab } from '#src/ui/list/list-toolbar.tsx';
import { dayColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { NewTicketModal } from './new-ticket-modal.tsx';
import { customerName, TicketBadge, ticketTimeRange, VideoLink } from './ticket-labels.tsx';
import { TicketModal } from './ticket-modal.tsx';
import { frTickets } from './tickets.fr.ts';
import classes from './tickets.module.css';

const t = frTickets;

const lists = {
  opened: { ...routes.listTickets, path: '/tools/ticket/opened/all' },
  closed: { ...routes.listTickets, path: '/tools/ticket/closed/all' },
} as const;
const statuses = ['opened', 'closed'] as const;

const columns: ListColumn<Ticket>[] = [
  {
    key: 'number',
    header: 'Numéro',
    sort: 'id',
    isCode: true,
    cell: (ticket) => (
      <Box component="span" fw={600} className={shared.nowrap}>
        {formatTicketNumber(ticket.id)}
      </Box>
    ),
    csv: (ticket) => formatTicketNumber(ticket.id),
  },
  {
    key: 'title',
    header: 'Titre',
    isIdentity: true,
    cell: (ticket) => (
      <>
        <span className={classes.title}>{ticket.title}</span>
        {ticket.Account && (
          <span data-table-only className={shared.under}>
            {customerName(ticket)}
          </span>
        )}
        {ticket.note && (
          <Box component="span" fz={12} className={shared.twoLines}>
            {ticket.note}
          </Box>
        )}
      </>
    ),
    csv: (ticket) => ticket.title,
  },
  {
    key: 'account',
    header: 'Client',
    isCardOnly: true,
    cell: (ticket) => ticket.Account && customerName(ticket),
    csv: customerName,
  },
  { key: 'isrc', header: t.column.isrc, csv: (ticket) => ticket.Track?.isrc },
  {
    key: 'status',
    header: 'État',
    cell: (ticket) => <TicketBadge status={ticket.status} />,
    csv: (ticket) => t.status[ticket.status],
  },
  {
    key: 'url',
    header: t.column.url,
    isTableOnly: true,
    cell: (ticket) => <VideoLink ticket={ticket} />,
    csv: (ticket) => ticket.url,
  },
  {
    key: 'timing',
    header: t.column.timing,
    isTableOnly: true,
    cell: (ticket) => {
      const range = ticketTimeRange(ticket);
      return range === fr.common.none ? range : <span className={`${shared.nowrap} figures`}>{range}</span>;
    },
  },
  { key: 'startAt', header: 'Début', csv: (ticket) => ticket.startAt },
  { key: 'endAt', header: 'Fin', csv: (ticket) => ticket.endAt },
  { key: 'isClaimed', header: 'Non revendiquée', csv: (ticket) => (ticket.isClaimed ? fr.common.yes : fr.common.no) },
  { key: 'isProtected', header: 'Déjà protégé', csv: (ticket) => (ticket.isProtected ? fr.common.yes : fr.common.no) },
  { key: 'note', header: t.field.note, csv: (ticket) => ticket.note },
  dayColumn({ key: 'createdAt', header: 'Ouvert le', csv: (ticket) => ticket.createdAt }),
];

const accountFilter: ListFilter = { kind: 'lookup', label: t.account, param: 'userId', lookup: lookupAccounts };

/** Claim tickets, open or closed depending on the URL (product §22.14). */
export default function TicketListPage() {
  const can = useCan();
  const { keep } = useListState();
  const countOf = useWaitingCount();
  const segment = usePageLocation().pathname.split('/')[3];
  const status = segment === 'closed' ? 'closed' : 'opened';
  // The selected ticket stays while its dialog closes.
  const [edited, setEdited] = useState<Ticket>();
  const [dialog, setDialog] = useState<'edit' | 'new'>();
  const tabs: ListTab[] = statuses.map((value) => ({
    label: t.tab[value],
    to: paths.tickets(value),
    search: keep('q', 'userId'),
    isCurrent: value === status,
    count: countOf(value === 'opened' ? 'openTickets' : undefined),
  }));
  const mayEdit = can('edit_tools');
  const add = mayEdit && (
    <Button leftSection={buttonIcon(IconPlus)} onClick={() => setDialog('new')}>
      {t.add}
    </Button>
  );
  return (
    <>
      <ListPage
        key={status}
        id="tickets"
        title={t.title[status]}
        route={lists[status]}
        columns={columns}
        rowName={(ticket) => `${formatTicketNumber(ticket.id)}, ${ticket.title}`}
        onRowOpen={(ticket) => {
          setEdited(ticket);
          setDialog('edit');
        }}
        searchPlaceholder={t.search}
        filters={mayEdit ? [accountFilter] : []}
        tabs={tabs}
        defaultSort={{ key: 'id', order: 'desc' }}
        exportName={t.exportName[status]}
        actions={add}
        empty={{
          title: t.emptyTitle[status],
          text: t.emptyText[status],
          action: status === 'opened' ? add : undefined,
        }}
      />
      {edited && <TicketModal ticket={edited} isOpen={dialog === 'edit'} onClose={() => setDialog(undefined)} />}
      <NewTicketModal isOpen={dialog === 'new'} onClose={() => setDialog(undefined)} />
    </>
  );
}
