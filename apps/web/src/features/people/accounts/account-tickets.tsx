import type { Ticket } from '@regie/contract/routes/tickets.ts';
import { routes } from '@regie/contract/routes.ts';
import { ticketStatuses } from '@regie/contract/state-names.ts';
import { formatTicketNumber } from '@regie/contract/tickets.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { stateTones } from '#src/domain/state-tones.ts';
import { api } from '#src/lib/api.ts';
import { useCan } from '#src/lib/session.ts';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { LoadedRows } from '#src/ui/list/related-rows.tsx';
import { dayColumn } from '#src/ui/list/value-columns.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { frAccounts } from './accounts.fr.ts';
import classes from './accounts.module.css';

const t = frAccounts.tickets;
const shown = 5;
const statuses = ['opened', 'closed'] as const;

/** The latest tickets of an account, for those who may read tickets: open ones first. */
export function AccountTickets({ accountId }: { accountId: number }) {
  const can = useCan();
  return can('read_tools') || can('edit_tools') ? <Tickets accountId={accountId} /> : null;
}

function Tickets({ accountId }: { accountId: number }) {
  const tickets = useQuery({
    queryKey: ['profile', accountId, 'tickets'],
    queryFn: ({ signal }) =>
      Promise.all(
        statuses.map((status) =>
          api(routes.listTickets, { params: { status }, query: { userId: accountId, limit: shown }, signal }),
        ),
      ),
  });
  const rows = tickets.data?.flatMap(({ data }) => data);
  return (
    <Section title={t.title}>
      <LoadedRows
        query={tickets}
        none={<p className={classes.muted}>{t.none}</p>}
        title={t.title}
        columns={columns}
        rows={rows}
        rowName={(ticket) => t.open(formatTicketNumber(ticket.id), ticket.title)}
        rowLink={(ticket) => ({
          to: paths.tickets(ticket.status === 'CLOSED' ? 'closed' : 'opened'),
          search: { q: formatTicketNumber(ticket.id) },
        })}
      />
      {rows && rows.length > 0 && (
        <p className={classes.shortcuts}>
          {statuses.map((status, index) =>
            tickets.data?.[index]?.data.length ? (
              <Link
                key={status}
                className={shared.link}
                to={paths.tickets(status)}
                search={{ userId: String(accountId) }}
              >
                {t.all[status]}
              </Link>
            ) : null,
          )}
        </p>
      )}
    </Section>
  );
}

const columns: ListColumn<Ticket>[] = [
  { key: 'title', header: t.column.title, cell: (ticket) => ticket.title },
  { key: 'number', header: t.column.number, isCode: true, cell: (ticket) => formatTicketNumber(ticket.id) },
  {
    key: 'status',
    header: t.column.status,
    cell: ({ status }) => <StatusBadge tone={stateTones.ticket[status]}>{ticketStatuses[status]}</StatusBadge>,
  },
  dayColumn({ key: 'createdAt', header: t.column.createdAt, csv: (ticket) => ticket.createdAt }),
];
