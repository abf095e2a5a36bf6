import type { Ticket, TicketStatus } from '@regie/contract/routes/tickets.ts';
import { formatTicketNumber, isWebUrl, linkToPassage } from '@regie/contract/tickets.ts';
import { IconExternalLink } from '@tabler/icons-react';
import { paths } from '#src/app/paths.ts';
import { stateTones } from '#src/domain/state-tones.ts';
import { fr } from '#src/lib/fr.ts';
import type { SearchParams } from '#src/lib/search-params.ts';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { frTickets } from './tickets.fr.ts';
import classes from './tickets.module.css';

const t = frTickets;

export function TicketBadge({ status }: { status: TicketStatus }) {
  return <StatusBadge tone={stateTones.ticket[status]}>{t.status[status]}</StatusBadge>;
}

export const ticketLists = ['opened', 'closed'] as const;
export type TicketList = (typeof ticketLists)[number];

/** The dialog of a ticket over the list of its status; the address names the ticket only. */
export const ticketLink = (id: number, list: TicketList, search: SearchParams = {}) => ({
  to: paths.tickets(list),
  search: { ...search, ticket: String(id) },
  mask: { to: paths.ticket(id) },
});

export const customerName = ({ Account }: Ticket): string =>
  Account === null ? '' : `${Account.fname} ${Account.lname}`.trim();

export function ticketTimeRange({ startAt, endAt }: Ticket): string {
  if (startAt && endAt) return `${startAt} – ${endAt}`;
  if (startAt) return t.from(startAt);
  return endAt ? t.until(endAt) : fr.common.none;
}

/** A link to the video; an old row whose link was never validated is plain text. */
export function VideoLink({ ticket }: { ticket: Ticket }) {
  const text = ticket.url.replace(/^https?:\/\/(www\.)?/, '');
  if (!isWebUrl(ticket.url)) return <span className={shared.muted}>{text}</span>;
  const [, site, code] = /^(youtube\.com\/watch\?v=|youtu\.be\/)([\w-]{11})$/.exec(text) ?? [];
  return (
    <a
      className={`${shared.link} ${classes.video}`}
      href={linkToPassage(ticket)}
      target="_blank"
      rel="noreferrer"
      aria-label={t.openVideo(formatTicketNumber(ticket.id))}
    >
      <span>
        {code === undefined ? (
          text
        ) : (
          <>
            <span data-table-only>{site}</span>
            {code}
          </>
        )}
      </span>
      <IconExternalLink size={14} stroke={1.7} aria-hidden />
    </a>
  );
}
