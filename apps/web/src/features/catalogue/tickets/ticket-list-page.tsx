import { Box, Button } from '@mantine/core';
import type { Ticket } from '@regie/contract/routes/tickets.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatTicketNumber } from '@regie/contract/tickets.ts';
import { IconPlus } from '@tabler/icons-react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { lookupAccounts } from '#src/domain/lookups.ts';
import { useWaitingCount } from '#src/domain/waiting.ts';
import { useAsked } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { usePageLocation } from '#src/lib/page-location.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import type { ListFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { useListState } from '#src/ui/list/list-state.ts';
import { dayColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { customerName, TicketBadge, ticketLink, ticketLists, ticketTimeRange, VideoLink } from './ticket-labels.tsx';
import { NewTicketModal, TicketModal } from './ticket-modal.tsx';
import { frTickets } from './tickets.fr.ts';

const t = frTickets;

const columns: ListColumn<Ticket>[] = [
  {
    key: 'number',
    header: 'Numéro',
    sort: 'id',
    isCode: true,
    cell: (ticket) => <span className={`${shared.name} ${shared.nowrap}`}>{formatTicketNumber(ticket.id)}</span>,
    csv: (ticket) => formatTicketNumber(ticket.id),
  },
  {
    key: 'title',
    header: 'Titre',
    isIdentity: true,
    cell: (ticket) => (
      <>
        {ticket.title}
        {ticket.Account && (
          <span data-table-only className={shared.under}>
            {customerName(ticket)}
          </span>
        )}
        {ticket.note && (
          <Box component="span" data-table-only fz={12} className={shared.twoLines}>
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
  const { search, keep } = useListState();
  const countOf = useWaitingCount();
  const segment = usePageLocation().pathname.split('/')[3];
  const status = segment === 'closed' ? 'closed' : 'opened';
  const { ask: askNew, dialog: creation } = useAsked<void>();
  const mayEdit = can('edit_tools');
  const add = mayEdit && (
    <Button leftSection={buttonIcon(IconPlus)} onClick={() => askNew()}>
      {t.add}
    </Button>
  );
  return (
    <>
      <ListPage
        key={status}
        id="tickets"
        title={frScreens.tickets[status]}
        route={{ ...routes.listTickets, path: `/tools/ticket/${status}/all` }}
        columns={columns}
        rowName={(ticket) => `${formatTicketNumber(ticket.id)}, ${ticket.title}`}
        rowLink={({ id }) => ({ ...ticketLink(id, status, search), state: { opensDialog: true } })}
        searchPlaceholder={t.search}
        filters={mayEdit ? [accountFilter] : []}
        tabs={ticketLists.map((value) => ({
          label: t.tab[value],
          to: paths.tickets(value),
          search: keep('q', 'userId'),
          isCurrent: value === status,
          count: countOf(value === 'opened' ? 'openTickets' : undefined),
        }))}
        defaultSort={{ key: 'id', order: 'desc' }}
        exportName={t.exportName[status]}
        actions={add}
        empty={{
          title: t.emptyTitle[status],
          text: t.emptyText[status],
          action: status === 'opened' ? add : undefined,
        }}
      />
      <TicketModal list={status} search={search} />
      <NewTicketModal {...creation} />
    </>
  );
}
