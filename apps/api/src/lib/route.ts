import type { Capability } from '@regie/contract/capabilities.ts';
import type { Envelope, FieldErrors, ListMeta } from '@regie/contract/envelope.ts';
import { messages } from '@regie/contract/messages.ts';
import type { RouteContract } from '@regie/contract/route.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Actor } from './audit.ts';
import type { Database, Trx } from './db.ts';
import type { Deps } from './deps.ts';
import { AppError, invalid } from './errors.ts';
import { claimKey, readIdempotentCall, storeAnswer } from './idempotency.ts';
import { findSession, isCsrfTokenValid, type Session } from './session.ts';

declare module 'fastify' {
  interface FastifyRequest {
    session: Session | undefined;
    rawBody: Buffer | undefined;
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
type Run = (input: Input<z.ZodType, z.ZodType, z.ZodType>, db: Trx) => Promise<Answer<unknown>>;

export interface Route {
  contract: AnyContract;
  run: Run;
  /** False where the service opens its own transactions. */
  isTransactional: boolean;
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
  const session = await findSession(deps.db, deps.cookies, request);
  request.session = session;
  if (contract.capability !== 'public' && !session) throw new AppError('unauthorized');
  if (isMutating(contract)) {
    if (isForeignOrigin(request, deps.publicUrl) || !isCsrfTokenValid(deps.cookies, session, request)) {
      throw new AppError('csrf_invalid');
    }
  }
  if (typeof contract.capability !== 'string' && !contract.capability.some((name) => session?.capabilities.has(name))) {
    throw new AppError('forbidden');
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

/** Registers a route on the server under `/api`. */
export function registerRoute(app: FastifyInstance, deps: Deps, { contract, run, isTransactional }: Route): void {
  app.route({
    method: contract.method,
    url: `/api${contract.path}`,
    bodyLimit: contract.bodyLimitBytes,
    onRequest: (request) => authorise(contract, deps, request),
    handler: async (request, reply) => {
      const { session } = request;
      const caller: Caller = {
        adminId: session?.adminId ?? null,
        requestId: request.id,
        session,
        can: (capability) => session?.capabilities.has(capability) ?? false,
      };
      const input = () => ({
        params: parse(contract.params, request.params, 'params'),
        query: parse(contract.query, request.query, 'query'),
        body: parse(contract.body, request.body, 'body'),
        caller,
        deps,
        request,
        reply,
      });
      const json = await (isTransactional
        ? runInTransaction(contract, run, input, deps.db, request, reply)
        : // A Kysely pool answers to everything a reading handler calls on a transaction.
          run(input(), deps.db as Trx).then((answer) => envelope(contract, answer)));
      // As bytes: Node would measure the text, then encode it once more to write it.
      return reply.type('application/json; charset=utf-8').send(Buffer.from(json));
    },
  });
}

async function runInTransaction(
  contract: AnyContract,
  run: Run,
  input: () => Parameters<Run>[0],
  db: Database,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  const call =
    request.session && !contract.path.startsWith('/auth/')
      ? readIdempotentCall(
          request.session.adminId,
          request.headers['idempotency-key'],
          `${request.method} ${request.url}`,
          request.rawBody,
        )
      : undefined;
  const { json, isReplayed } = await db.transaction().execute(async (trx) => {
    if (call) {
      const stored = await claimKey(trx, call);
      if (stored !== undefined) return { json: stored, isReplayed: true };
    }
    const fresh = envelope(contract, await run(input(), trx));
    if (call) await storeAnswer(trx, call, fresh);
    return { json: fresh, isReplayed: false };
  });
  if (isReplayed) reply.header('idempotency-replayed', 'true');
  return json;
}
