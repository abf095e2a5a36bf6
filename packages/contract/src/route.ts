import type { Capability } from './capabilities.ts';
import { messages } from './messages.ts';
import { required, z } from './zod.ts';

/** Any schema. Zod's full type has so many members that comparing a schema with it slows the type-check. */
export type Schema = z.core.$ZodType;

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** Anyone, any signed-in admin, or an admin with one of the named capabilities. */
export type Access = 'public' | 'session' | readonly [Capability, ...Capability[]];

/** A row of the HTTP table (product §31.18); fields absent from `response` are stripped (product §31.19). */
export interface RouteContract<
  Params extends Schema = Schema,
  Query extends Schema = Schema,
  Body extends Schema = Schema,
  Response extends Schema = Schema,
> {
  method: Method;
  path: `/${string}`;
  capability: Access;
  /** A caller with a second factor must have used it in the last ten minutes (`stepUpMinutes`, product §31.21). */
  stepUp: boolean;
  /** A rule that path, message and schemas do not show. */
  summary?: string | undefined;
  params: Params;
  query: Query;
  body: Body;
  response: Response;
  /** The French sentence of the green alert after success; empty for reads. */
  message: string;
  /** Lists return `meta` beside `data`. */
  list: boolean;
  bodyLimitBytes: number;
  /** The file field of a multipart call; such a call has no JSON body. */
  upload: UploadField | undefined;
  /** The response is a file, with Range support; only errors are envelopes. */
  isFile: boolean;
  /** The response is a redirect (303): browsers open this address as a page. */
  isRedirect: boolean;
}

export interface UploadField {
  field: string;
  maxBytes: number;
}

const nothing = z.object({});
type DefaultParams = { id: typeof IdParams; none: typeof nothing };
const noBody = z.unknown();
const bodyLimits = { public: 32 * 1024, session: 256 * 1024 };

/**
 * Declares a row: `defineRoute('GET /promo-code/list', ['read_coupon'], { … })`. Omitted schemas are empty, but for the
 * `params` of a path with `:id` and the response of a file. What takes a `cursor` is a list.
 */
export function defineRoute<
  const Call extends `${Method} /${string}`,
  Response extends Schema = typeof nothing,
  Params extends Schema = DefaultParams[Call extends `${string}/:id${'' | `/${string}`}` ? 'id' : 'none'],
  Query extends Schema = typeof nothing,
  Body extends Schema = Schema,
>(
  call: Call,
  capability: Access,
  row: Partial<Omit<RouteContract<Params, Query, Body, Response>, 'method' | 'path' | 'capability' | 'list'>> = {},
): RouteContract<Params, Query, Body, Response> {
  const [method, path] = call.split(' ') as [Method, `/${string}`];
  const query = row.query ?? nothing;
  return {
    ...{ stepUp: false, message: '', upload: undefined, isFile: false, isRedirect: false },
    ...{ ...row, method, path, capability },
    params: (row.params ?? (/\/:id(\/|$)/.test(path) ? IdParams : nothing)) as Params,
    query: query as Query,
    body: (row.body ?? noBody) as Body,
    response: (row.response ?? (row.isFile ? noBody : nothing)) as Response,
    list: query instanceof z.ZodObject && 'cursor' in query.shape,
    bodyLimitBytes:
      row.bodyLimitBytes ?? (row.upload?.maxBytes ?? 0) + bodyLimits[capability === 'public' ? 'public' : 'session'],
  };
}

/** `:id` is a positive integer (product §31.18). */
export const Id = z
  .int({
    error: (issue) =>
      issue.input === undefined || issue.input === null
        ? required(issue)
        : typeof issue.input === 'string'
          ? messages.quotedNumber
          : messages.invalidId,
  })
  .positive({ error: messages.invalidId });
export const QueryId = z.coerce.number().pipe(Id);
/** An account as other records name it. */
export const AccountRef = z.object({ id: Id, fname: z.string(), lname: z.string() });
/** Digits only: `1e1` and `0x10` are refused. */
export const IdParams = z.object({
  id: z.preprocess((text) => (/^[1-9]\d{0,15}$/.test(String(text)) ? Number(text) : undefined), Id),
});

export const DryRunQuery = z.object({
  dryRun: z
    .enum(['true', 'false', '1', '0', ''])
    .default('false')
    // A bare `?dryRun` is a dry run too: an incomplete URL writes nothing.
    .transform((value) => value !== 'false' && value !== '0'),
});

/** The record's `version` that the caller's screen showed: a different current version answers 409. */
export const ExpectedVersion = z
  .string({ error: messages.unseen('version') })
  .max(100, { error: messages.unseen('version') });

/** Milliseconds since 1970. */
export const Instant = z.number();
/** `updatedAt` when the form was opened: a record changed since answers 409. */
export const SeenAt = Instant.optional();

/** The query of every list (product §31.5), with this list's sort keys; the first is the default. */
export function listQuery<const Sort extends readonly [string, ...string[]], Filters extends z.ZodRawShape>(
  sorts: Sort,
  defaultOrder: 'asc' | 'desc',
  filters: Filters,
) {
  return z.object({
    limit: z.coerce.number().int().min(1).max(500).default(50),
    // The last row's sort key: up to 500 characters of four bytes, in base64.
    cursor: z.string().max(4000).optional(),
    q: z.string().trim().max(200).optional(),
    sort: z.enum(sorts).default(sorts[0] as Sort[number]),
    order: z.enum(['asc', 'desc']).default(defaultOrder),
    ...filters,
  });
}
