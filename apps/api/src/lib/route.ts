import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Capability } from '@regie/contract/capabilities.ts';
import type { Envelope, ErrorCode, FieldErrors, ListMeta } from '@regie/contract/envelope.ts';
import { messages } from '@regie/contract/messages.ts';
import type { RouteContract } from '@regie/contract/route.ts';
import { factorMessages } from '@regie/contract/second-factors.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Actor } from './audit.ts';
import type { Database, Trx } from './db.ts';
import type { Deps } from './deps.ts';
import { AppError, invalid } from './errors.ts';
import { type FileAnswer, sendFile } from './file-answer.ts';
import { claimKey, findStoredAnswer, type IdempotentCall, readIdempotentCall, storeAnswer } from './idempotency.ts';
import { confirmAtProvider, findSession, isCsrfTokenValid, isRecent, type Session } from './session.ts';

declare module 'fastify' {
  interface FastifyRequest {
    session: Session | undefined;
    rawBody: Buffer | undefined;
    /** The code of the refusal that was answered, for the log. */
    refusal: ErrorCode | undefined;
    /** Settles once the sender is known, where the body is read meanwhile. */
    authorised?: Promise<void>;
  }
}

export interface Caller extends Actor {
  session: Session | undefined;
  can: (capability: Capability) => boolean;
}

export interface Answer<Data> {
  data: Data;
  meta?: ListMeta;
  message?: string;
  csrf?: string;
}

/** The file of a multipart call, whole in memory: its row bounds it. Name and type are the sender's word only. */
export interface Upload {
  fileName: string;
  /** As they came. */
  pieces: readonly Buffer[];
  /** All of them, copied together at the first question. */
  readonly bytes: Buffer;
}

interface Input<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType> {
  params: z.output<P>;
  query: z.output<Q>;
  body: z.output<B>;
  caller: Caller;
  deps: Deps;
  request: FastifyRequest;
  reply: FastifyReply;
}

type AnyContract = RouteContract;
type AnyInput = Input<z.ZodType, z.ZodType, z.ZodType>;
type Run = (input: AnyInput, db: Trx) => Promise<Answer<unknown>>;

interface Steps<I, Given, Prepared, Data> {
  /** Outside any transaction: may this caller, is the file what it should be; stores it. */
  prepare: (input: I & Given, db: Database) => Promise<Prepared>;
  /** The answer, where `prepare` left nothing for a transaction to record. */
  settled?: (prepared: Prepared) => Answer<Data> | undefined;
  /** In the call's transaction, like the handler of any other. */
  apply: (input: I, prepared: Prepared, trx: Trx) => Promise<Answer<Data>>;
  /** The transaction failed: what `prepare` stored is nobody's. */
  discard: (prepared: Prepared, deps: Deps) => Promise<void>;
}
type UploadSteps<I, Prepared, Data> = Steps<I, { upload: Upload }, Prepared, Data>;

export interface Route {
  contract: AnyContract;
  run: Run;
  /** False where the service opens its own transactions. */
  isTransactional: boolean;
  uploadSteps?: UploadSteps<AnyInput, unknown, unknown>;
  preparedSteps?: Steps<AnyInput, object, unknown, unknown>;
  findFile?: (input: AnyInput, db: Database) => Promise<FileAnswer>;
  openEvents?: (input: AnyInput) => Readable;
  findAddress?: (input: AnyInput) => Promise<string>;
}

/**
 * One call of the HTTP table with what it does. A mutating call runs in one transaction (`trx`) that also holds
 * its journal rows, its jobs and its Idempotency-Key; it commits when the handler returns and leaves nothing
 * when it throws. A reading call gets the pool under the same name.
 */
export function route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  contract: RouteContract<P, Q, B, R>,
  handler: (input: Input<P, Q, B>, db: Trx) => Promise<Answer<z.input<R>>>,
): Route {
  return { contract, run: handler as Run, isTransactional: contract.method !== 'GET' };
}

/**
 * The same for a call whose service opens its own transactions, because part of what it writes must outlive a
 * refusal (a failed sign-in is counted and journalled). Only for calls without Idempotency-Key.
 */
export function routeWithOwnTransactions<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
>(contract: RouteContract<P, Q, B, R>, handler: (input: Input<P, Q, B>) => Promise<Answer<z.input<R>>>): Route {
  return { contract, run: handler as Run, isTransactional: false };
}

const noHandler: Run = async () => {
  throw new Error('a call with a file has steps of its own');
};

/**
 * A multipart call. What takes long or leaves the house (looking at the file, storing it) happens before the
 * transaction; the records change in it, together with journal and Idempotency-Key. A replayed call does neither.
 */
export function uploadRoute<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
  Prepared,
>(contract: RouteContract<P, Q, B, R>, steps: UploadSteps<Input<P, Q, B>, Prepared, z.input<R>>): Route {
  return { contract, run: noHandler, isTransactional: true, uploadSteps: steps as Route['uploadSteps'] & object };
}

/**
 * A call that asks another server first. `prepare` runs outside any transaction and may be repeated by a retry: what
 * it causes elsewhere must be the same the second time. The records change in `apply`, in the call's transaction.
 */
export function preparedRoute<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  R extends z.ZodType,
  Prepared,
>(
  contract: RouteContract<P, Q, B, R>,
  steps: {
    prepare: (input: Input<P, Q, B>, db: Database) => Promise<Prepared>;
    apply: (input: Input<P, Q, B>, prepared: Prepared, trx: Trx) => Promise<Answer<z.input<R>>>;
  },
): Route {
  const prepared = { ...steps, discard: async () => undefined };
  return {
    contract,
    run: noHandler,
    isTransactional: true,
    preparedSteps: prepared as Route['preparedSteps'] & object,
  };
}

/** A call that answers with a file instead of an envelope. */
export function fileRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  contract: RouteContract<P, Q, B, R>,
  findFile: (input: Input<P, Q, B>, db: Database) => Promise<FileAnswer>,
): Route {
  return { contract, run: noHandler, isTransactional: false, findFile: findFile as Route['findFile'] & object };
}

/** A call that answers with server-sent events for as long as its caller listens. */
export function eventRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  contract: RouteContract<P, Q, B, R>,
  openEvents: (input: Input<P, Q, B>) => Readable,
): Route {
  return { contract, run: noHandler, isTransactional: false, openEvents: openEvents as Route['openEvents'] & object };
}

/** A call that sends the browser elsewhere, whatever comes of it: its service opens its own transactions. */
export function redirectRoute<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType>(
  contract: RouteContract<P, Q, B, R>,
  findAddress: (input: Input<P, Q, B>) => Promise<string>,
): Route {
  return {
    contract,
    run: noHandler,
    isTransactional: false,
    findAddress: findAddress as Route['findAddress'] & object,
  };
}

const isMutating = (contract: AnyContract) => contract.method !== 'GET';

function isForeignOrigin(request: FastifyRequest, publicUrl: string): boolean {
  const { origin } = request.headers;
  if (origin === undefined) return false;
  if (origin === publicUrl) return false;
  // A machine calls itself by several names.
  const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
  const own = loopback.exec(publicUrl);
  const theirs = loopback.exec(origin);
  return !(own && theirs && own[2] === theirs[2]);
}

/** Session, CSRF, capability, in the order of decisions §1: a caller without them learns nothing of the body's rules. */
async function authorise(contract: AnyContract, deps: Deps, request: FastifyRequest): Promise<void> {
  const found = await findSession(deps.db, deps.cookies, request);
  // Without the provider nobody could say that its people may still come in.
  const session = found?.provider && !deps.oidc ? undefined : found;
  request.session = session;
  if (contract.capability !== 'public' && !session) throw new AppError('unauthorized');
  // Chunks of a file are as many as its size makes them: their bytes are counted instead.
  if (session && !contract.upload) await deps.sessionLimits?.spendRequest(session);
  if (isMutating(contract)) {
    if (isForeignOrigin(request, deps.publicUrl) || !isCsrfTokenValid(deps.cookies, session, request)) {
      throw new AppError('csrf_invalid');
    }
  }
  if (typeof contract.capability !== 'string' && !contract.capability.some((name) => session?.capabilities.has(name))) {
    throw new AppError('forbidden');
  }
  if (session) checkSecondFactor(contract, session);
}

/**
 * Whoever has a second factor used it lately where the row says so; whoever has none adds one first, where the setting
 * says so. Under /auth is what adding one takes.
 */
function checkSecondFactor({ path, stepUp }: AnyContract, session: Session): void {
  const { hasFactor, provider, factorAt, factorPolicy } = session;
  if (hasFactor || provider?.hasFactor) {
    if (!stepUp || isRecent(factorAt)) return;
    if (!hasFactor) throw confirmAtProvider();
    throw new AppError('forbidden', factorMessages.stepUp, { errors: { stepUp: factorMessages.stepUp } });
  } else if ((factorPolicy === 'all' || (factorPolicy === 'money' && stepUp)) && !path.startsWith('/auth/')) {
    throw new AppError('forbidden', factorMessages.missing, { errors: { secondFactor: factorMessages.missing } });
  }
}

function fieldErrors(error: z.ZodError): FieldErrors {
  const errors: FieldErrors = {};
  for (const issue of error.issues) {
    const path = issue.path.length === 0 ? 'global' : issue.path.join('.');
    errors[path] ??= issue.message;
  }
  return errors;
}

function parse(schema: z.ZodType, value: unknown, where: 'params' | 'query' | 'body'): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  if (where === 'params') throw new AppError('not_found');
  const unreadable = parsed.error.issues.some(
    (issue) =>
      issue.code === 'invalid_type' &&
      // 1.5 where a whole number is wanted can be read: it breaks a rule.
      issue.expected !== 'int' &&
      (where === 'query' ? issue.path.length > 0 : issue.path.length === 0),
  );
  if (unreadable) {
    throw new AppError('invalid_data', where === 'body' && value === undefined ? messages.emptyInput : undefined);
  }
  throw invalid(fieldErrors(parsed.error));
}

function envelope(contract: AnyContract, answer: Answer<unknown>): string {
  // What the response schema does not name never leaves the house.
  const body: Envelope<unknown> = {
    code: 'success',
    message: answer.message ?? contract.message,
    data: contract.response.parse(answer.data),
    errors: {},
    ...(answer.csrf === undefined ? {} : { csrf: answer.csrf }),
    ...(answer.meta === undefined ? {} : { meta: answer.meta }),
  };
  return JSON.stringify(body);
}

const maxAgentLength = 300;
/** The User-Agent as text that can be stored; null without one. */
export const agentOf = (request: FastifyRequest): string | null =>
  request.headers['user-agent']?.replaceAll(/\p{Cc}/gu, ' ').slice(0, maxAgentLength) ?? null;

const maxReadAheadBytes = 1_000_000;
/** A small file is read while its sender is being looked up: chunks of a large one wait for one answer less. */
const readsAhead = (contract: AnyContract) =>
  contract.upload !== undefined && contract.bodyLimitBytes <= maxReadAheadBytes;

const seeOther = 303;

/** Registers a route on the server under `/api`. */
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
        // Looked at once the body is here.
        authorised.catch(() => undefined);
        request.authorised = authorised;
        return;
      }
      await authorised;
      // Before the body is read: a form where JSON is wanted, or the other way round.
      if (isMutating(contract) && isForm !== undefined && isForm !== (contract.upload !== undefined)) {
        throw new AppError('unsupported_type');
      }
    },
    handler: async (request, reply) => {
      const upload = contract.upload && (await receiveUpload(request, contract));
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
      const input = (): AnyInput => ({
        params: parse(contract.params, request.params, 'params'),
        query: parse(contract.query, request.query, 'query'),
        body: parse(contract.body, request.body, 'body'),
        caller,
        deps,
        request,
        reply,
      });
      if (route.openEvents) {
        if (session) deps.sessionLimits?.openStream(session, reply);
        const events = route.openEvents(input());
        // Nothing on the way may keep what was said back.
        reply.header('x-accel-buffering', 'no').type('text/event-stream; charset=utf-8');
        return reply.send(events);
      }
      if (route.findFile) {
        const file = await route.findFile(input(), deps.db);
        // What is in memory is sent at once: a page of cards asks for fifty pictures together.
        if (session && !Buffer.isBuffer(file.content)) deps.sessionLimits?.openStream(session, reply);
        return sendFile(request, reply, file);
      }
      if (route.findAddress) return reply.redirect(await route.findAddress(input()), seeOther);
      const json = await answerWithJson(route, input, deps, request, reply, upload);
      // As bytes: Node would measure the text, then encode it once more to write it.
      return reply.type('application/json; charset=utf-8').send(Buffer.from(json));
    },
  });
}

async function answerWithJson(
  route: Route,
  input: () => AnyInput,
  deps: Deps,
  request: FastifyRequest,
  reply: FastifyReply,
  upload: Upload | undefined,
): Promise<string> {
  const { contract, run, uploadSteps, preparedSteps } = route;
  // A Kysely pool answers to everything a reading handler calls on a transaction.
  if (!route.isTransactional) return envelope(contract, await run(input(), deps.db as Trx));
  const call = findIdempotentCall(contract, request);
  const answer =
    uploadSteps && upload
      ? await runInSteps(contract, uploadSteps, { ...input(), upload }, call)
      : preparedSteps
        ? await runInSteps(contract, preparedSteps, input(), call)
        : await runInTransaction(contract, run, input, deps.db, call);
  if (answer.isReplayed) reply.header('idempotency-replayed', 'true');
  return answer.json;
}

interface JsonAnswer {
  json: string;
  isReplayed: boolean;
}

async function runInSteps<Given>(
  contract: AnyContract,
  steps: Steps<AnyInput, Given, unknown, unknown>,
  input: AnyInput & Given,
  call: IdempotentCall | undefined,
): Promise<JsonAnswer> {
  const { deps, caller } = input;
  const stored = call && (await findStoredAnswer(deps.db, call));
  if (stored !== undefined) return { json: stored, isReplayed: true };
  const prepared = await steps.prepare(input, deps.db);
  let isKept = false;
  try {
    const settled = steps.settled?.(prepared);
    if (settled && !call) {
      isKept = true;
      return { json: envelope(contract, settled), isReplayed: false };
    }
    const apply: Run = async (_, trx) => settled ?? (await steps.apply(input, prepared, trx));
    const answer = await runInTransaction(contract, apply, () => input, deps.db, call);
    isKept = !answer.isReplayed;
    return answer;
  } finally {
    // What cannot be removed now is found by the nightly job.
    if (!isKept) {
      await steps
        .discard(prepared, deps)
        .catch(() => deps.log.warn({ requestId: caller.requestId }, 'a refused upload was not removed'));
    }
  }
}

/** What tells two chunks of the same bytes apart. */
const uploadHeaders = ['x-file-start', 'x-file-name', 'x-file-size'];

function createUpload(fileName: string, pieces: readonly Buffer[]): Upload {
  let whole: Buffer | undefined;
  return {
    fileName,
    pieces,
    get bytes() {
      whole ??= Buffer.concat(pieces);
      return whole;
    },
  };
}

/**
 * Reads the call's file into memory.
 * @throws AppError too_large over the row's limit, invalid_data without a file in its field
 */
async function readUpload(request: FastifyRequest, contract: AnyContract): Promise<Upload> {
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
    // The parser throws plain errors for a form that is cut short or none at all.
    throw error instanceof Error && 'code' in error ? error : new AppError('invalid_data');
  }
  if (!upload) throw new AppError('invalid_data', messages.emptyInput);
  // Only a key is ever compared with it.
  if (request.headers['idempotency-key'] !== undefined) {
    const named = [upload.fileName, ...uploadHeaders.map((name) => String(request.headers[name] ?? ''))];
    const hash = createHash('sha256').update(`${JSON.stringify(named)}\n`);
    for (const piece of upload.pieces) hash.update(piece);
    request.rawBody = hash.digest();
  }
  return upload;
}

/** The call's file, once its sender may send one. */
async function receiveUpload(request: FastifyRequest, contract: AnyContract): Promise<Upload> {
  const reading = readUpload(request, contract);
  // Who may not send it learns nothing of what is wrong with it.
  reading.catch(() => undefined);
  await request.authorised;
  return reading;
}

function findIdempotentCall(contract: AnyContract, request: FastifyRequest): IdempotentCall | undefined {
  if (!request.session || contract.path.startsWith('/auth/')) return undefined;
  return readIdempotentCall(
    request.session.adminId,
    request.headers['idempotency-key'],
    `${request.method} ${request.url}`,
    request.rawBody,
  );
}

async function runInTransaction(
  contract: AnyContract,
  run: Run,
  input: () => AnyInput,
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
    return { json, isReplayed: false };
  });
}
