import type { Capability } from './capabilities.ts';
import { messages } from './messages.ts';
import { z } from './zod.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Who may call: anyone, any signed-in admin, or an admin who holds one of the capabilities named.
 */
export type Access = 'public' | 'session' | readonly [Capability, ...Capability[]];

/** One row of the HTTP table (product §31.18, §31.19). `response` describes `data` and strips whatever it does not name. */
export interface RouteContract<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  method: Method;
  path: `/${string}`;
  capability: Access;
  /** Whoever has a second factor must have used it in the last ten minutes (`stepUpMinutes`). */
  stepUp: boolean;
  summary: string;
  params: Params;
  query: Query;
  body: Body;
  response: Response;
  /** The French sentence of the green alert after success; empty for reads. */
  message: string;
  /** Lists answer with `meta` beside `data`. */
  list: boolean;
  /** Largest accepted body in bytes. */
  bodyLimitBytes: number;
  /** The one file of a multipart call; such a call has no JSON body. */
  upload: UploadField | undefined;
  /** The answer is a file, with Range; only refusals are envelopes. */
  isFile: boolean;
  /** The answer sends the browser elsewhere (303): the call is a page's address, not one that a page makes. */
  isRedirect: boolean;
}

/** The form field that carries a file, and the most the file may weigh. */
export interface UploadField {
  field: string;
  maxBytes: number;
}

const nothing = z.object({});
const noBody = z.unknown();
const defaultBodyLimitBytes = 256 * 1024;

/** Declares a row; what is left out is empty. */
export function defineRoute<
  Response extends z.ZodType,
  Params extends z.ZodType = typeof nothing,
  Query extends z.ZodType = typeof nothing,
  Body extends z.ZodType = typeof noBody,
>(row: {
  method: Method;
  path: `/${string}`;
  capability: Access;
  stepUp?: boolean;
  summary: string;
  params?: Params;
  query?: Query;
  body?: Body;
  response: Response;
  message?: string;
  list?: boolean;
  bodyLimitBytes?: number;
  upload?: UploadField;
  isFile?: boolean;
  isRedirect?: boolean;
}): RouteContract<Params, Query, Body, Response> {
  return {
    method: row.method,
    path: row.path,
    capability: row.capability,
    stepUp: row.stepUp ?? false,
    summary: row.summary,
    params: (row.params ?? nothing) as Params,
    query: (row.query ?? nothing) as Query,
    body: (row.body ?? noBody) as Body,
    response: row.response,
    message: row.message ?? '',
    list: row.list ?? false,
    bodyLimitBytes: row.bodyLimitBytes ?? (row.upload?.maxBytes ?? 0) + defaultBodyLimitBytes,
    upload: row.upload,
    isFile: row.isFile ?? false,
    isRedirect: row.isRedirect ?? false,
  };
}

/** `:id` is a positive integer (product §31.18). */
export const Id = z
  .int({
    error: ({ input }) =>
      input === undefined || input === null
        ? messages.required
        : typeof input === 'string'
          ? messages.quotedNumber
          : messages.invalidId,
  })
  .positive({ error: messages.invalidId });
/** Digits only: `1e1` and `0x10` are no ids. */
export const IdParams = z.object({
  id: z.preprocess((text) => (/^[1-9]\d{0,15}$/.test(String(text)) ? Number(text) : undefined), Id),
});

/** What the caller's screen showed, by the record's `version`: 409 where it is something else by now. */
export const ExpectedVersion = z
  .string({ error: messages.unseen('version') })
  .max(100, { error: messages.unseen('version') });

/** Milliseconds since 1970. */
export const Instant = z.number();

const maxQueryText = 200;
/** A cursor holds the last row's sort key: up to 500 characters of four bytes, in base64. */
const maxCursorLength = 4000;

/** The query every list takes (product §31.5), with the sort keys that this list offers; the first is the default. */
export function listQuery<const Sort extends readonly [string, ...string[]], Filters extends z.ZodRawShape>(
  sorts: Sort,
  defaultOrder: 'asc' | 'desc',
  filters: Filters,
) {
  return z.object({
    limit: z.coerce.number().int().min(1).max(500).default(50),
    cursor: z.string().max(maxCursorLength).optional(),
    q: z.string().trim().max(maxQueryText).optional(),
    sort: z.enum(sorts).default(sorts[0] as Sort[number]),
    order: z.enum(['asc', 'desc']).default(defaultOrder),
    ...filters,
  });
}
