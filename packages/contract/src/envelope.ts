import { z } from './zod.ts';

/** The error codes of product §31.2 and the HTTP status that carries each. */
export const errorStatus = {
  invalid_data: 400,
  unauthorized: 401,
  forbidden: 403,
  csrf_invalid: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unsupported_type: 415,
  validation_failed: 422,
  too_many_requests: 429,
  server_error: 500,
  unavailable: 503,
} as const;
export type ErrorCode = keyof typeof errorStatus;

/** Field path → sentence (`artists.0.fullname`), or `{ global }`. */
export type FieldErrors = Record<string, string>;

export const ListMeta = z.object({
  nextCursor: z.string().nullable(),
  total: z.number(),
  totalIsExact: z.boolean(),
  /**
   * On lists of amounts: the sum over all rows of the filter, by currency; null when there are more rows than are
   * counted exactly.
   */
  sums: z
    .array(z.object({ currency: z.string(), amount: z.number() }))
    .nullable()
    .optional(),
});
export type ListMeta = z.infer<typeof ListMeta>;

/** What a successful call went past: an objection, an equal record, a value that was not read. */
export interface Warnings {
  warnings: readonly string[];
}

/**
 * What every JSON answer looks like (product §31.1). `csrf` comes on the session check only, `meta` on lists and on
 * successes with warnings.
 */
export interface Envelope<Data> {
  code: 'success' | ErrorCode;
  message: string;
  data: Data;
  errors: FieldErrors;
  csrf?: string;
  meta?: ListMeta | Warnings;
}
