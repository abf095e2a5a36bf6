import { messages } from '#src/messages.ts';
import { AccountRef, defineRoute, Id, Instant, listQuery, SeenAt } from '#src/route.ts';
import { readPlatformUrl, type SmartlinkPlatform, smartlinkPlatforms } from '#src/smartlinks.ts';
import { states } from '#src/states.ts';
import { mapKeys, z } from '#src/zod.ts';

const SmartlinkStatus = z.enum(states.smartlink.toWire, { error: messages.smartlinkStatus });

/** The JSON string `urls`: platforms without an address are omitted. */
export const SmartlinkUrls = z.partialRecord(z.enum(smartlinkPlatforms), z.string());
export type SmartlinkUrls = z.infer<typeof SmartlinkUrls>;

const Smartlink = z.object({
  id: Id,
  slug: z.string(),
  /** The public URL: SMARTLINK_BASE_URL and the slug. */
  link: z.string(),
  status: SmartlinkStatus,
  /** A JSON string of SmartlinkUrls. */
  urls: z.string(),
  createdAt: Instant,
  updatedAt: Instant,
  Library: z.object({
    id: Id,
    title: z.string(),
    artist: z.string(),
    /** A JSON string of CoverDetails. */
    coverDetails: z.string(),
    /** Its links are then offline. */
    isWithdrawn: z.boolean(),
  }),
  clicks: z.number(),
});

/** Days of the list's sparkline. */
export const smartlinkDays = 30;

export const SmartlinkRow = Smartlink.extend({
  /** Clicks of each of the last 30 days in Paris, today last. */
  clicksByDay: z.array(z.number()),
});
export type SmartlinkRow = z.infer<typeof SmartlinkRow>;

/** Callers who may not open the account do not see whose release it is. */
export const SmartlinkDetail = Smartlink.extend({ Account: AccountRef.nullable() });
export type SmartlinkDetail = z.infer<typeof SmartlinkDetail>;

const Url = (platform: SmartlinkPlatform) =>
  z
    .string({ error: messages.platformUrl(platform) })
    .trim()
    .transform((text, context) => {
      const url = text === '' ? undefined : readPlatformUrl(platform, text);
      if (text !== '' && url === undefined) {
        context.addIssue({ code: 'custom', message: messages.platformUrl(platform) });
        return z.NEVER;
      }
      return url;
    })
    .nullish();

/** A JSON string, as specified, or the object. */
const parseJson = (value: unknown): unknown => {
  // Eight addresses of the greatest length take less.
  if (typeof value !== 'string' || value.length > 20_000) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
};

const Urls = z.preprocess(parseJson, z.strictObject(mapKeys(smartlinkPlatforms, Url)));

/** The edit form (product §25.6, §27.6): the addresses replace the stored ones. */
export const SmartlinkForm = z.object({
  status: SmartlinkStatus,
  urls: Urls,
  updatedAt: SeenAt,
});
export type SmartlinkForm = z.output<typeof SmartlinkForm>;

export const NewSmartlinkForm = z.object({
  /** The release; its title makes the slug. */
  libraryId: Id,
});

const Clicks = z.object({
  total: z.number(),
  /** Clicks since creation, most clicked first. */
  platforms: z.array(z.object({ platform: z.enum(smartlinkPlatforms), clicks: z.number() })),
  /** Days with clicks, newest first, at most one year. */
  days: z.array(
    z.object({
      /** dd/MM/yyyy in Paris. */
      day: z.string(),
      platforms: z.array(z.object({ platform: z.enum(smartlinkPlatforms), clicks: z.number() })),
    }),
  ),
});
export type SmartlinkClicks = z.infer<typeof Clicks>;

export const smartlinkRoutes = {
  listSmartlinks: defineRoute('GET /smartlink/list/:status', ['read_smartlink'], {
    params: z.object({ status: z.enum(['pending', 'enabled']) }),
    query: listQuery(['createdAt', 'clicks', 'title'], 'desc', {}),
    response: z.array(SmartlinkRow),
  }),
  getSmartlink: defineRoute('GET /smartlink/item/:id', ['read_smartlink'], { response: SmartlinkDetail }),
  getSmartlinkClicks: defineRoute('GET /smartlink/item/:id/clicks', ['read_smartlink'], { response: Clicks }),
  createSmartlink: defineRoute('POST /smartlink/new', ['edit_smartlink'], {
    body: NewSmartlinkForm,
    response: SmartlinkDetail,
    message: 'Le smartlink est créé',
  }),
  editSmartlink: defineRoute('PUT /smartlink/item/:id/edit', ['edit_smartlink'], {
    body: SmartlinkForm,
    response: SmartlinkDetail,
    message: 'Le smartlink est enregistré',
  }),
  deleteSmartlink: defineRoute('DELETE /smartlink/item/:id/delete', ['edit_smartlink'], {
    summary: 'Its clicks go with it; its address is free again.',
    response: z.object({ id: Id }),
    message: 'Le smartlink est supprimé',
  }),
};
