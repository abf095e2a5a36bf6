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
  /** On lists of amounts: sums of all filtered rows by currency; null where they are too many to count. */
  sums: z
    .array(z.object({ currency: z.string(), amount: z.number() }))
    .nullable()
    .optional(),
});
export type ListMeta = z.infer<typeof ListMeta>;

export interface Warnings {
  warnings: readonly string[];
}

/** Every JSON answer (product §31.1): `csrf` on the session check only, `meta` on lists and with warnings. */
export interface Envelope<Data> {
  code: 'success' | ErrorCode;
  message: string;
  data: Data;
  errors: FieldErrors;
  csrf?: string;
  meta?: ListMeta | Warnings;
}
