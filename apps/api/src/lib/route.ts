import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Capability } from '@regie/contract/capabilities.ts';
import type { Envelope, ErrorCode, FieldErrors, ListMeta } from '@regie/contract/envelope.ts';
import { messages } from '@regie/contract/messages.ts';
import type { RouteContract, Schema } from '@regie/contract/route.ts';
import { z } from '@regie/contract/zod.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from './audit.ts';
import type { Database, Trx } from './db.ts';
import type { Deps } from './deps.ts';
import { AppError, invalid } from './errors.ts';
import { type FileAnswer, type StreamAnswer, sendFile } from './file-answer.ts';
import { claimKey, findStoredAnswer, type IdempotentCall, readIdempotentCall, storeAnswer } from './idempotency.ts';
import { parseJson } from './json-body.ts';
import { findSession, isCsrfTokenValid, requireRecentFactor, type Session } from './session.ts';

declare module 'fastify' {
  interface FastifyRequest {
    session: Session | undefined;
    rawBody: Buffer | undefined;
    refusal: ErrorCode | undefined;
    /** Resolves when the sender is authorised, for bodies that are read meanwhile. */
    authorised?: Promise<void>;
  }
}

export type Caller = Actor & { session: Session | undefined; can: (capability: Capability) => boolean };

/** @throws unauthorized */
export function adminOf(caller: Actor): number {
  if (caller.adminId === null) throw new AppError('unauthorized');
  return caller.adminId;
}

/** @throws unauthorized */
export function sessionOf(caller: Caller): Session {
  if (!caller.session) throw new AppError('unauthorized');
  return caller.session;
}

export interface Answer<Data> {
  data: Data;
  meta?: ListMeta;
  message?: string;
  /** French sentences about what the call went past; the answer carries them in `message` and `meta.warnings`. */
  warnings?: readonly string[] | undefined;
  csrf?: string;
}

/** A multipart file in memory, limited by its route. Name and type are not verified. */
export type Upload = { fileName: string; pieces: readonly Buffer[]; readonly bytes: Buffer };

interface Input<C extends RouteContract = RouteContract> {
  params: z.output<C['params']>;
  query: z.output<C['query']>;
  body: z.output<C['body']>;
  caller: Caller;
  deps: Deps;
  request: FastifyRequest;
  reply: FastifyReply;
}

type Run = (input: Input, db: Trx) => Promise<Answer<unknown> | undefined>;
type ResponseData<C extends RouteContract> = z.input<C['response']>;
/** A handler of a call with an empty response returns nothing. */
type Answered<C extends RouteContract> =
  | Promise<Answer<ResponseData<C>>>
  | (Record<string, never> extends ResponseData<C> ? Promise<void> : never);

// Methods, which TypeScript compares loosely: those of one contract can be stored as those of any.
interface Steps<I, Given, Prepared, Data> {
  /** Outside any transaction: checks permission and content, and stores the file. */
  prepare(input: I & Given, db: Database): Promise<Prepared>;
  /** The answer when `prepare` left nothing to record in a transaction. */
  settled?(prepared: Prepared): Answer<Data> | undefined;
  apply(input: I, prepared: Prepared, trx: Trx): Promise<Answer<Data>>;
  /** After a failed transaction: removes what `prepare` stored. */
  discard?(prepared: Prepared, deps: Deps): Promise<void>;
  /** After the commit: removes what only `apply` needed. */
  committed?(prepared: Prepared, deps: Deps): Promise<void>;
}

export interface Route {
  contract: RouteContract;
  /** False when the service opens its own transactions. */
  isTransactional: boolean;
  run?: Run;
  steps?: Steps<Input, { upload: Upload | undefined }, unknown, unknown>;
  findFile?(input: Input, db: Database): Promise<FileAnswer | StreamAnswer>;
  openEvents?(input: Input): Readable;
  findAddress?(input: Input): Promise<string>;
}

/**
 * Binds a route to its handler. A mutating call runs in one transaction with its journal rows, jobs and
 * Idempotency-Key; it rolls back when the handler throws. A reading call gets the pool as `db`.
 */
export const route = <C extends RouteContract>(contract: C, run: (input: Input<C>, db: Trx) => Answered<C>): Route => ({
  contract,
  run: run as Run,
  isTransactional: isMutating(contract),
});

/** The same for a handler that only returns data. */
export const dataRoute = <C extends RouteContract>(
  contract: C,
  find: (input: Input<C>, db: Trx) => Promise<ResponseData<C>>,
): Route => ({
  contract,
  run: async (input, db) => ({ data: await find(input as Input<C>, db) }),
  isTransactional: isMutating(contract),
});

/** For services whose writes must survive a refusal (a failed sign-in is counted). Not for Idempotency-Key. */
export const routeWithOwnTransactions = <C extends RouteContract>(
  contract: C,
  run: (input: Input<C>) => Answered<C>,
): Route => ({ contract, run: run as Run, isTransactional: false });

/**
 * A multipart call. Checking and storing the file run before the transaction in which records change. A replayed call
 * runs neither.
 */
export const uploadRoute = <C extends RouteContract, Prepared>(
  contract: C,
  steps: Steps<Input<C>, { upload: Upload }, Prepared, ResponseData<C>>,
): Route => ({ contract, steps, isTransactional: true });

/**
 * A call that contacts another server first. `prepare` runs outside any transaction and again on a retry: its external
 * effects must be idempotent.
 */
export const preparedRoute = <C extends RouteContract, Prepared>(
  contract: C,
  steps: Steps<Input<C>, object, Prepared, ResponseData<C>>,
): Route => ({ contract, steps, isTransactional: true });

export const fileRoute = <C extends RouteContract>(
  contract: C,
  findFile: (input: Input<C>, db: Database) => Promise<FileAnswer | StreamAnswer>,
): Route => ({ contract, findFile, isTransactional: false });

export const eventRoute = <C extends RouteContract>(contract: C, openEvents: (input: Input<C>) => Readable): Route => ({
  contract,
  openEvents,
  isTransactional: false,
});

/** Its service opens its own transactions. */
export const redirectRoute = <C extends RouteContract>(
  contract: C,
  findAddress: (input: Input<C>) => Promise<string>,
): Route => ({ contract, findAddress, isTransactional: false });

const isMutating = (contract: RouteContract) => contract.method !== 'GET';

function isForeignOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const { origin } = request.headers;
  if (origin === undefined || origin === publicUrl) return false;
  // localhost and 127.0.0.1 count as one origin.
  const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
  const address = loopback.exec(publicUrl);
  const theirs = loopback.exec(origin);
  return !(address && theirs && address[2] === theirs[2]);
}

/** In the order of product §31.4, before body validation, so that others learn nothing about it. */
async function authorise(contract: RouteContract, deps: Deps, request: FastifyRequest): Promise<void> {
  const present = await findSession(deps.db, deps.cookies, request);
  // Without the provider, its sessions cannot be checked any more.
  const session = present?.provider && !deps.oidc ? undefined : present;
  request.session = session;
  if (contract.capability !== 'public' && !session) throw new AppError('unauthorized');
  // The number of chunks depends on file size, so uploads are limited by bytes instead.
  if (session && !contract.upload) await deps.sessionLimits?.spendRequest(session);
  const isForeign = () => isForeignOrigin(request, deps.publicUrl) || !isCsrfTokenValid(deps.cookies, session, request);
  if (isMutating(contract) && isForeign()) throw new AppError('csrf_invalid');
  if (typeof contract.capability !== 'string' && !contract.capability.some((name) => session?.capabilities.has(name))) {
    throw new AppError('forbidden');
  }
  if (session) checkSecondFactor(contract, session);
}

/** Routes under /auth are needed to add a first factor. */
function checkSecondFactor({ path, stepUp }: RouteContract, session: Session): void {
  const hasFactor = session.hasFactor || session.provider?.hasFactor;
  const isAsked = stepUp || (!hasFactor && session.factorPolicy === 'all');
  if (isAsked && (hasFactor || !path.startsWith('/auth/'))) requireRecentFactor(session);
}

function fieldErrors(error: z.ZodError): FieldErrors {
  const errors: FieldErrors = {};
  for (const issue of error.issues) {
    const path = issue.path.length === 0 ? 'global' : issue.path.join('.');
    errors[path] ??= issue.message;
  }
  return errors;
}

function parse(schema: Schema, value: unknown, where: 'params' | 'query' | 'body'): unknown {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  if (where === 'params') throw new AppError('not_found');
  const unreadable = parsed.error.issues.some(
    (issue) =>
      issue.code === 'invalid_type' &&
      // A decimal instead of an integer breaks a rule but is readable.
      issue.expected !== 'int' &&
      (where === 'query' ? issue.path.length > 0 : issue.path.length === 0),
  );
  if (unreadable) {
    throw new AppError('invalid_data', where === 'body' && value === undefined ? messages.emptyInput : undefined);
  }
  throw invalid(fieldErrors(parsed.error));
}

const addSentence = (text: string, next: string) => (text ? `${text.replace(/([^.!?])$/, '$1.')} ${next}` : next);

function envelope(contract: RouteContract, answer: Answer<unknown> = { data: {} }): string {
  const warnings = answer.warnings ?? [];
  const meta = warnings.length > 0 ? { ...answer.meta, warnings } : answer.meta;
  // Fields absent from the response schema are stripped.
  const body: Envelope<unknown> = {
    code: 'success',
    message: [answer.message ?? contract.message ?? '', ...warnings].filter(Boolean).reduce(addSentence, ''),
    data: z.parse(contract.response, answer.data),
    errors: {},
    ...(answer.csrf === undefined ? {} : { csrf: answer.csrf }),
    ...(meta === undefined ? {} : { meta }),
  };
  return JSON.stringify(body);
}

const maxAgentLength = 300;
/** The User-Agent as storable text; null without one. */
export const agentOf = (request: FastifyRequest): string | null =>
  request.headers['user-agent']?.replaceAll(/\p{Cc}/gu, ' ').slice(0, maxAgentLength) ?? null;

const maxReadAheadBytes = 1_000_000;
/** Read small files while the sender is being authorised, to save a round trip. */
const readsAhead = (contract: RouteContract) =>
  contract.upload !== undefined && contract.bodyLimitBytes <= maxReadAheadBytes;

const seeOther = 303;

export function registerRoute(app: FastifyInstance, deps: Deps, route: Route): void {
  const { contract } = route;
  app.route({
    method: contract.method,
    url: `/api${contract.path}`,
    bodyLimit: contract.bodyLimitBytes,
    onRequest: async (request) => {
      const isForm = request.headers['content-type']?.startsWith('multipart/form-data');
      const authorised = authorise(contract, deps, request);
      if (isForm && readsAhead(contract)) {
        // Awaited after the body is read.
        authorised.catch(() => undefined);
        request.authorised = authorised;
        return;
      }
      await authorised;
      // Before reading the body: refuse a form instead of JSON, and vice versa.
      if (isMutating(contract) && isForm !== undefined && isForm !== (contract.upload !== undefined)) {
        throw new AppError('unsupported_type');
      }
    },
    handler: async (request, reply) => {
      const upload = contract.upload && (await receiveUpload(request, contract));
      const body = upload ? undefined : parseJson(request.rawBody);
      const { session } = request;
      if (upload && session) {
        const sizeBytes = upload.pieces.reduce((sum, piece) => sum + piece.length, 0);
        await deps.sessionLimits?.spendUpload(session, sizeBytes);
      }
      const caller: Caller = {
        adminId: session?.adminId ?? null,
        requestId: request.id,
        address: request.ip,
        agent: agentOf(request),
        session,
        can: (capability) => session?.capabilities.has(capability) ?? false,
      };
      const input = (): Input => ({
        params: parse(contract.params, request.params, 'params'),
        query: parse(contract.query, request.query, 'query'),
        body: parse(contract.body, body, 'body'),
        caller,
        deps,
        request,
        reply,
      });
      if (route.openEvents) {
        if (session) deps.sessionLimits?.openStream(session, reply);
        const events = route.openEvents(input());
        // Disable buffering in proxies.
        reply.header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8');
        return reply.send(events);
      }
      if (route.findFile) {
        const file = await route.findFile(input(), deps.db);
        // Files in memory are sent at once and not limited: a page of cards requests fifty pictures together.
        if (session && !Buffer.isBuffer(file.content)) deps.sessionLimits?.openStream(session, reply);
        return sendFile(request, reply, file);
      }
      if (route.findAddress) return reply.redirect(await route.findAddress(input()), seeOther);
      const { json, isReplayed } = await answerWithJson(route, input, deps, request, upload);
      if (isReplayed) reply.header('idempotency-replayed', 'true');
      // As bytes: for a string, Node would encode it twice.
      return reply.type('application/json; charset=utf-8').send(Buffer.from(json));
    },
  });
}

async function answerWithJson(
  { contract, isTransactional, steps, run = noHandler }: Route,
  input: () => Input,
  deps: Deps,
  request: FastifyRequest,
  upload: Upload | undefined,
): Promise<JsonAnswer> {
  // Read handlers only use methods that pool and transaction share.
  if (!isTransactional) return { json: envelope(contract, await run(input(), deps.db as Trx)) };
  const call = findIdempotentCall(contract, request);
  return steps
    ? runInSteps(contract, steps, { ...input(), upload }, call)
    : runInTransaction(contract, run, input, deps.db, call);
}

const noHandler: Run = () => Promise.reject(new Error('this kind of route has no handler'));

type JsonAnswer = { json: string; isReplayed?: true };

async function runInSteps(
  contract: RouteContract,
  steps: Route['steps'] & object,
  input: Input & { upload: Upload | undefined },
  call: IdempotentCall | undefined,
): Promise<JsonAnswer> {
  const { deps, caller } = input;
  const stored = call && (await findStoredAnswer(deps.db, call));
  if (stored !== undefined) return { json: stored, isReplayed: true };
  let prepared: unknown;
  try {
    prepared = await steps.prepare(input, deps.db);
  } catch (error) {
    // The first call may have ended meanwhile, and used up what this one was reading.
    const ended = call && (await findStoredAnswer(deps.db, call));
    if (ended === undefined) throw error;
    return { json: ended, isReplayed: true };
  }
  let isKept = false;
  try {
    const settled = steps.settled?.(prepared);
    if (settled && !call) {
      isKept = true;
      return { json: envelope(contract, settled) };
    }
    const apply: Run = async (_, trx) => settled ?? (await steps.apply(input, prepared, trx));
    const answer = await runInTransaction(contract, apply, () => input, deps.db, call);
    isKept = !answer.isReplayed;
    return answer;
  } finally {
    // The nightly job deletes what cannot be removed now.
    await (isKept ? steps.committed?.(prepared, deps) : steps.discard?.(prepared, deps))?.catch(() =>
      deps.log.warn({ requestId: caller.requestId }, 'an upload was not removed'),
    );
  }
}

/** Headers that distinguish chunks with equal bytes. */
const uploadHeaders = ['x-file-start', 'x-file-name', 'x-file-size'];

function createUpload(fileName: string, pieces: readonly Buffer[]): Upload {
  let wholeFile: Buffer | undefined;
  return {
    fileName,
    pieces,
    get bytes() {
      wholeFile ??= Buffer.concat(pieces);
      return wholeFile;
    },
  };
}

/** @throws AppError too_large over the route's limit, invalid_data without a file in its field */
async function readUpload(request: FastifyRequest, contract: RouteContract): Promise<Upload> {
  const { field, maxBytes } = contract.upload ?? { field: '', maxBytes: 0 };
  if (Number(request.headers['content-length'] ?? 0) > contract.bodyLimitBytes) throw new AppError('too_large');
  if (!request.isMultipart()) throw new AppError('invalid_data', messages.emptyInput);
  let upload: Upload | undefined;
  try {
    for await (const part of request.parts({ limits: { fileSize: maxBytes, files: 1, fields: 20, parts: 21 } })) {
      if (part.type !== 'file') continue;
      const pieces: Buffer[] = [];
      part.file.on('data', (piece: Buffer) => pieces.push(piece));
      await finished(part.file);
      if (part.fieldname === field) upload = createUpload(part.filename ?? '', pieces);
    }
  } catch (error) {
    // The parser throws plain errors for invalid or truncated forms.
    throw error instanceof Error && 'code' in error ? error : new AppError('invalid_data');
  }
  if (!upload) throw new AppError('invalid_data', messages.emptyInput);
  // The hash is only compared for calls with a key.
  if (request.headers['idempotency-key'] !== undefined) {
    const named = [upload.fileName, ...uploadHeaders.map((name) => String(request.headers[name] ?? ''))];
    const hash = createHash('sha256').update(`${JSON.stringify(named)}\n`);
    for (const piece of upload.pieces) hash.update(piece);
    request.rawBody = hash.digest();
  }
  return upload;
}

async function receiveUpload(request: FastifyRequest, contract: RouteContract): Promise<Upload> {
  const reading = readUpload(request, contract);
  // An unauthorised sender must not see errors about the file.
  reading.catch(() => undefined);
  await request.authorised;
  return reading;
}

function findIdempotentCall(contract: RouteContract, request: FastifyRequest): IdempotentCall | undefined {
  if (!request.session || contract.path.startsWith('/auth/')) return undefined;
  return readIdempotentCall(
    request.session.adminId,
    request.headers['idempotency-key'],
    `${request.method} ${request.url}`,
    request.rawBody,
  );
}

async function runInTransaction(
  contract: RouteContract,
  run: Run,
  input: () => Input,
  db: Database,
  call: IdempotentCall | undefined,
): Promise<JsonAnswer> {
  return db.transaction().execute(async (trx) => {
    if (call) {
      const stored = await claimKey(trx, call);
      if (stored !== undefined) return { json: stored, isReplayed: true };
    }
    const json = envelope(contract, await run(input(), trx));
    if (call) await storeAnswer(trx, call, json);
    return { json };
  });
}
