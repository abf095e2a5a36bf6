import { messages } from '#src/messages.ts';
import { defineRoute, Id, Instant, listQuery } from '#src/route.ts';
import { states } from '#src/states.ts';
import { isWebUrl, parseTiming, ticketLimits, ticketMessages } from '#src/tickets.ts';
import { completeUrl } from '#src/web-link.ts';
import { z } from '#src/zod.ts';

export const TicketStatus = z.enum(states.ticket.toWire, { error: ticketMessages.status });
export type TicketStatus = z.infer<typeof TicketStatus>;

/** A claim about a video that uses our content (product §22.14). */
export const Ticket = z.object({
  id: Id,
  title: z.string(),
  status: TicketStatus,
  url: z.string(),
  /** mm:ss. */
  startAt: z.string().nullable(),
  endAt: z.string().nullable(),
  /** The declarations: not claimed by the platform; content already protected. */
  isClaimed: z.boolean(),
  isProtected: z.boolean(),
  /** What was done about the claim, for colleagues. */
  note: z.string(),
  /** `releaseId` is null when the track's release is deleted. */
  Track: z.object({ id: Id, title: z.string(), isrc: z.string().nullable(), releaseId: Id.nullable() }).nullable(),
  Account: z.object({ id: Id, fname: z.string(), lname: z.string() }).nullable(),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Ticket = z.infer<typeof Ticket>;

/** mm:ss or h:mm:ss; omitted: unchanged; null or '' clears it. */
const Timing = z
  .string()
  .trim()
  .refine((text) => text === '' || parseTiming(text) !== undefined, { error: ticketMessages.timing })
  .nullish()
  .transform((text) => (text === '' ? null : text));

const fields = {
  url: z
    .string({ error: ticketMessages.url })
    .overwrite(completeUrl)
    .min(1, { error: ticketMessages.url })
    .max(ticketLimits.url, { error: messages.maxLength(ticketLimits.url) })
    .refine((text) => text === '' || isWebUrl(text), { error: ticketMessages.urlNotWeb }),
  startAt: Timing,
  endAt: Timing,
  isClaimed: z.boolean(),
  isProtected: z.boolean(),
};

interface Timed {
  startAt?: string | null | undefined;
  endAt?: string | null | undefined;
}
export const isChronological = ({ startAt, endAt }: Timed): boolean =>
  !startAt || !endAt || (parseTiming(endAt) ?? 0) >= (parseTiming(startAt) ?? 0);
const outOfOrder = { path: ['endAt'], error: ticketMessages.endBeforeStart };

/** The ticket form; fields that the server decides (number, title, links) are ignored. */
export const TicketForm = z
  .object({
    ...fields,
    status: TicketStatus,
    /** Omitted: unchanged. */
    note: z
      .string()
      .trim()
      .max(ticketLimits.note, { error: messages.maxLength(ticketLimits.note) })
      .optional(),
    /** `updatedAt` when the ticket was opened: a changed ticket is not overwritten. */
    updatedAt: Instant.optional(),
  })
  .refine(isChronological, outOfOrder);
export type TicketForm = z.infer<typeof TicketForm>;

export const NewTicketForm = z
  .object({
    title: z
      .string({ error: ticketMessages.title })
      .trim()
      .min(1, { error: ticketMessages.title })
      .max(ticketLimits.title, { error: messages.maxLength(ticketLimits.title) }),
    ...fields,
    isClaimed: z.boolean().default(false),
    isProtected: z.boolean().default(false),
    trackId: Id.nullish(),
    /** The customer; with a track, the track's owner. */
    userId: Id.nullish(),
  })
  .refine(isChronological, outOfOrder);
export type NewTicketForm = z.infer<typeof NewTicketForm>;

export const ticketRoutes = {
  listTickets: defineRoute('GET /tools/ticket/:status/all', {
    capability: ['edit_tools', 'read_tools'],
    summary: 'Claim tickets of a state, newest first.',
    params: z.object({ status: z.enum(['opened', 'closed']) }),
    query: listQuery(['id'], 'desc', { userId: z.coerce.number().pipe(Id).optional() }),
    response: z.array(Ticket),
  }),
  editTicket: defineRoute('PUT /tools/ticket/:id', {
    capability: ['edit_tools'],
    summary: 'Save a ticket; one that changed since `updatedAt` answers 409.',
    body: TicketForm,
    response: Ticket,
    message: 'Le ticket est enregistré',
  }),
  createTicket: defineRoute('POST /tools/ticket', {
    capability: ['edit_tools'],
    summary: 'A new ticket, opened; a trackId and userId that disagree answer 422.',
    body: NewTicketForm,
    response: Ticket,
    message: 'Le ticket est créé',
  }),
};
