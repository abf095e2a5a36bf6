import { callMessages as messages } from '@regie/contract/call-messages.ts';
import type { Envelope, ErrorCode, FieldErrors, ListMeta } from '@regie/contract/envelope.ts';
import type { Access, Method, RouteContract } from '@regie/contract/route.ts';
import { type QueryKey, queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import { frEntry as fr } from './entry.fr.ts';
import { getCsrf, isSessionOver, markSessionEnded, refreshSession } from './session.ts';
import { askForSecondFactor, confirmIdentity } from './step-up.ts';

/** `network`: no response; `aborted`: the caller cancelled. */
export type ApiErrorCode = ErrorCode | 'network' | 'aborted';

/** A refused or failed call; `errors` is keyed by field path, or `global` (product §31.3). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: ApiErrorCode;
  readonly errors: FieldErrors;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: number,
    code: ApiErrorCode,
    message: string,
    errors: FieldErrors = {},
    retryAfterSeconds: number | undefined = undefined,
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = status;
    this.code = code;
    this.errors = errors;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

// In Zod a coerced field's input type is `unknown`: its output type is what a caller may pass.
type Given<In, Out> = {
  [Key in keyof In]: unknown extends In[Key] ? (Key extends keyof Out ? Out[Key] : never) : In[Key];
};
type Sent<Schema extends z.core.$ZodType> = Given<z.input<Schema>, z.output<Schema>>;
type Part<Name extends string, Value> = [keyof Value] extends [never]
  ? { [Key in Name]?: undefined }
  : Record<string, never> extends Value
    ? { [Key in Name]?: Value }
    : { [Key in Name]: Value };
type Body<Schema extends z.core.$ZodType> =
  unknown extends z.input<Schema> ? { body?: undefined } : { body: z.input<Schema> };

export type ApiParams<Route extends RouteContract> = Sent<Route['params']>;
export type ApiQuery<Route extends RouteContract> = Sent<Route['query']>;
export type ApiData<Route extends RouteContract> = z.output<Route['response']>;

export type ApiInput<Route extends RouteContract> = Part<'params', ApiParams<Route>> &
  Part<'query', ApiQuery<Route>> &
  Body<Route['body']> & {
    signal?: AbortSignal;
    /** For calls that move money, import or create: repeating with the same key and body has no further effect. */
    idempotencyKey?: string;
  };

export type ApiArgs<Route extends RouteContract> =
  Record<string, never> extends ApiInput<Route> ? [input?: ApiInput<Route>] : [input: ApiInput<Route>];

export interface ApiAnswer<Data> {
  data: Data;
  message: string;
  meta: ListMeta | undefined;
  warnings: readonly string[];
}

/** The response is not validated: the server strips fields absent from the route's schema. @throws ApiError */
export async function api<Route extends RouteContract>(
  route: Route,
  ...[input]: ApiArgs<Route>
): Promise<ApiAnswer<ApiData<Route>>> {
  const parts: Omit<RequestInput, 'method' | 'path' | 'capability'> & { params?: object; query?: object } = input ?? {};
  return request<ApiData<Route>>({
    method: route.method,
    path: buildPath(route.path, parts.params, parts.query),
    capability: route.capability,
    body: parts.body,
    signal: parts.signal,
    idempotencyKey: parts.idempotencyKey,
  });
}

/** Calls with parts that the compiler cannot relate to a generic route: an added signal, a query known only at run time. */
const callWith = <Route extends RouteContract>(route: Route, input: object) =>
  api(route, ...([input] as unknown as ApiArgs<Route>));

export const apiQuery = <Route extends RouteContract>(queryKey: QueryKey, route: Route, ...[input]: ApiArgs<Route>) =>
  queryOptions({
    queryKey,
    queryFn: async ({ signal }) => (await callWith(route, { ...input, signal })).data,
  });

export type ListParams = Record<string, string | number | undefined>;

/** One page of a list route whose query is known only at run time (a filter bar, an export). @throws ApiError */
export const apiList = <Route extends RouteContract>(route: Route, query: ListParams, signal?: AbortSignal) =>
  callWith(route, { query, signal });

/** The pages of a list, one after the other. */
export async function* readPages<Data>(
  read: (cursor: string | undefined) => Promise<ApiAnswer<Data>>,
): AsyncGenerator<ApiAnswer<Data>> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    yield page;
    cursor = page.meta?.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

interface RequestInput {
  method: Method;
  path: string;
  capability: Access;
  body?: unknown;
  signal?: AbortSignal;
  idempotencyKey?: string;
}

async function request<Data>(input: RequestInput, isRetry = false): Promise<ApiAnswer<Data>> {
  const sentAt = performance.now();
  const headers: Record<string, string> = { accept: 'application/json' };
  const csrf = getCsrf();
  if (csrf && input.method !== 'GET') headers['x-csrf-token'] = csrf;
  if (input.idempotencyKey) headers['idempotency-key'] = input.idempotencyKey;
  const init: RequestInit = { method: input.method, headers, credentials: 'same-origin' };
  if (input.signal) init.signal = input.signal;
  if (input.body !== undefined) {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(input.body);
  }
  const response = await fetch(`/api${input.path}`, init).catch(() => {
    throw input.signal?.aborted ? new ApiError(0, 'aborted', '') : new ApiError(0, 'network', messages.network);
  });
  const text = await response.text().catch(() => '');
  if (input.signal?.aborted) throw new ApiError(0, 'aborted', '');
  return readAnswer<Data>(
    { status: response.status, text, retryAfter: response.headers.get('retry-after'), sentAt },
    input.capability,
    isRetry ? undefined : () => request<Data>(input, true),
  );
}

interface Received {
  status: number;
  text: string;
  retryAfter: string | null;
  sentAt: number;
}

async function readAnswer<Data>(
  received: Received,
  capability: Access,
  again: (() => Promise<ApiAnswer<Data>>) | undefined,
): Promise<ApiAnswer<Data>> {
  const { status } = received;
  const envelope = readEnvelope<Data>(received);
  if (status >= 200 && status < 300 && envelope.code === 'success') {
    const { data, message, meta } = envelope;
    return {
      data,
      message,
      meta: meta && 'total' in meta ? meta : undefined,
      warnings: meta && 'warnings' in meta ? meta.warnings : [],
    };
  }
  return recover(received, capability, again);
}

/** Calls again what a new token or a confirmation allows. @throws ApiError for any other refusal */
export async function recover<Answer>(
  received: Received,
  capability: Access,
  again: (() => Promise<Answer>) | undefined,
): Promise<Answer> {
  const { status, sentAt } = received;
  const envelope = readEnvelope(received);
  const code = envelope.code === 'success' ? 'server_error' : envelope.code;
  if (code === 'csrf_invalid' && again && (await refreshSession())) return again();
  if (envelope.errors.stepUp !== undefined && again && (await confirmIdentity('confirm', sentAt))) return again();
  if (envelope.errors.provider !== undefined && again && (await confirmIdentity('provider', sentAt))) return again();
  if (envelope.errors.secondFactor !== undefined) askForSecondFactor();
  // Capabilities were revoked meanwhile: refresh the sidebar and the buttons.
  else if (code === 'forbidden') void refreshSession();
  if (status === 401 && capability !== 'public') markSessionEnded();
  const retryAfter = Number(received.retryAfter ?? Number.NaN);
  throw new ApiError(
    status,
    code,
    envelope.message || messages.serverError,
    code === 'forbidden' ? { global: envelope.message } : envelope.errors,
    Number.isFinite(retryAfter) ? retryAfter : undefined,
  );
}

function readEnvelope<Data>({ status, text }: Received): Envelope<Data> {
  try {
    const envelope: Envelope<Data> = JSON.parse(text);
    return { ...envelope, errors: envelope.errors ?? {} };
  } catch {
    // A proxy responded, or the response was truncated.
    throw status >= 500 && status !== 500
      ? new ApiError(status, 'unavailable', messages.unavailable)
      : new ApiError(status, 'network', messages.network);
  }
}

export interface UploadInput<Route extends RouteContract> {
  params: ApiParams<Route>;
  file: Blob;
  fileName: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  /** Upload progress in bytes; `fetch` does not report it. */
  onProgress?: (sentBytes: number) => void;
}

/** Sends the file of a multipart route. @throws ApiError */
export async function apiUpload<Route extends RouteContract>(
  route: Route,
  input: UploadInput<Route>,
  isRetry = false,
): Promise<ApiAnswer<ApiData<Route>>> {
  const { signal } = input;
  const sentAt = performance.now();
  const form = new FormData();
  form.append(route.upload?.field ?? 'file', input.file, input.fileName);
  const call = new XMLHttpRequest();
  const giveUp = () => call.abort();
  signal?.addEventListener('abort', giveUp);
  const hasAnswer = await new Promise<boolean>((resolve) => {
    if (signal?.aborted) return resolve(false);
    call.open(route.method, `/api${buildPath(route.path, input.params)}`);
    call.setRequestHeader('accept', 'application/json');
    for (const [name, value] of Object.entries({ 'x-csrf-token': getCsrf() ?? '', ...input.headers })) {
      call.setRequestHeader(name, value);
    }
    call.upload.onprogress = (event) => input.onProgress?.(Math.min(event.loaded, input.file.size));
    call.onloadend = () => resolve(call.status !== 0);
    call.send(form);
  });
  signal?.removeEventListener('abort', giveUp);
  if (signal?.aborted) throw new ApiError(0, 'aborted', '');
  if (!hasAnswer) throw new ApiError(0, 'network', messages.network);
  return readAnswer<ApiData<Route>>(
    { status: call.status, text: call.responseText, retryAfter: call.getResponseHeader('retry-after'), sentAt },
    route.capability,
    isRetry ? undefined : () => apiUpload(route, input, true),
  );
}

/** `/reporting/:id` with its query as a path; undefined, null and empty values are omitted. */
export function buildPath(path: string, params: object = {}, query: object = {}): string {
  const values = new Map<string, unknown>(Object.entries(params));
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values.get(name))));
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(key, String(value));
  }
  const text = search.toString();
  return text ? `${filled}?${text}` : filled;
}

export function errorSentence(error: unknown): string {
  // 'Réactualisez la page SVP' would discard the screen that stays under the sign-in dialog.
  if (error instanceof ApiError && error.code === 'unauthorized' && isSessionOver()) return fr.errors.signedOut;
  if (error instanceof ApiError) return error.errors.global ?? error.message;
  // Without a response it is unknown whether anything was saved.
  return messages.retry;
}

/** No response: whether the server executed the call is unknown. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === 'network' || error.code === 'unavailable');

export const isNotFound = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

export const isAbort = (error: unknown): boolean => error instanceof ApiError && error.code === 'aborted';
