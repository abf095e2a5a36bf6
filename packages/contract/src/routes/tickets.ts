import { messages } from '#src/messages.ts';
import { AccountRef, defineRoute, Id, Instant, listQuery, QueryId, SeenAt } from '#src/route.ts';
import { states } from '#src/states.ts';
import { isWebUrl, parseTiming, ticketLimits, ticketMessages } from '#src/tickets.ts';
import { completeUrl } from '#src/web-link.ts';
import { filledText, z } from '#src/zod.ts';

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
  Account: AccountRef.nullable(),
  createdAt: Instant,
  updatedAt: Instant,
});
export type Ticket = z.infer<typeof Ticket>;

const TicketList = listQuery(['id'], 'desc', { userId: QueryId.optional() });

/** A ticket between its neighbours in the list of its status, filtered as the query says. */
export const TicketDetail = Ticket.extend({ newerId: Id.nullable(), olderId: Id.nullable() });
export type TicketDetail = z.infer<typeof TicketDetail>;

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

export const isChronological = ({ startAt, endAt }: { [Key in 'startAt' | 'endAt']?: string | null | undefined }) =>
  !startAt || !endAt || (parseTiming(endAt) ?? 0) >= (parseTiming(startAt) ?? 0);
const outOfOrder = { path: ['endAt'], error: messages.invalidPeriod };

/** The ticket form; fields that the server decides (number, title, links) are ignored. */
export const TicketForm = z
  .object({
    ...fields,
    status: TicketStatus,
    note: z.string().trim().max(ticketLimits.note).optional(),
    updatedAt: SeenAt,
  })
  .refine(isChronological, outOfOrder);
export type TicketForm = z.infer<typeof TicketForm>;

export const NewTicketForm = z
  .object({
    title: filledText(ticketMessages.title, ticketLimits.title),
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
  listTickets: defineRoute('GET /tools/ticket/:status/all', ['edit_tools', 'read_tools'], {
    params: z.object({ status: z.enum(['opened', 'closed']) }),
    query: TicketList,
    response: z.array(Ticket),
  }),
  getTicket: defineRoute('GET /tools/ticket/:id', ['edit_tools', 'read_tools'], {
    query: TicketList.pick({ q: true, userId: true }),
    response: TicketDetail,
  }),
  editTicket: defineRoute('PUT /tools/ticket/:id', ['edit_tools'], {
    summary: '409 when it changed since `updatedAt`.',
    body: TicketForm,
    response: Ticket,
    message: 'Le ticket est enregistré',
  }),
  createTicket: defineRoute('POST /tools/ticket', ['edit_tools'], {
    summary: 'A trackId and userId that disagree answer 422.',
    body: NewTicketForm,
    response: Ticket,
    message: 'Le ticket est créé',
  }),
};
