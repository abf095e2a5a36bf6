import cookie from '@fastify/cookie';
import helmet from '@fastify/helmet';
import multipart from '@fastify/multipart';
import { messages } from '@regie/contract/messages.ts';
import {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from 'fastify';
import { DatabaseError } from 'pg';
import { audioRoutes } from '#src/modules/catalogue/audio/audio.routes.ts';
import { coverRoutes } from '#src/modules/catalogue/covers/covers.routes.ts';
import { orderRoutes } from '#src/modules/catalogue/orders/orders.routes.ts';
import { registerStripeWebhook } from '#src/modules/catalogue/orders/stripe-webhook.ts';
import { promoCodeRoutes } from '#src/modules/catalogue/promo-codes/promo-codes.routes.ts';
import { releaseRoutes } from '#src/modules/catalogue/releases/releases.routes.ts';
import { pageNotFound, smartlinkNotFound, smartlinkPolicy } from '#src/modules/catalogue/smartlinks/smartlink-page.ts';
import { registerSmartlinkPages } from '#src/modules/catalogue/smartlinks/smartlink-pages.ts';
import { smartlinkRoutes } from '#src/modules/catalogue/smartlinks/smartlinks.routes.ts';
import { ticketRoutes } from '#src/modules/catalogue/tickets/tickets.routes.ts';
import { toolRoutes } from '#src/modules/catalogue/tools/tools.routes.ts';
import { analyticsRoutes } from '#src/modules/income/analytics/analytics.routes.ts';
import { compareRoutes } from '#src/modules/income/compare/compare.routes.ts';
import { closeEvents } from '#src/modules/income/statements/events.service.ts';
import { statementRoutes } from '#src/modules/income/statements/statements.routes.ts';
import { unmatchedRoutes } from '#src/modules/income/unmatched/unmatched.routes.ts';
import { accountStatementRoutes } from '#src/modules/money/account-statements/account-statements.routes.ts';
import { exchangeRateRoutes } from '#src/modules/money/exchange-rates/exchange-rates.routes.ts';
import { ledgerRoutes } from '#src/modules/money/ledger/ledger.routes.ts';
import { monthRoutes } from '#src/modules/money/months/months.routes.ts';
import { payoutRoutes } from '#src/modules/money/payouts/payouts.routes.ts';
import { reportRoutes } from '#src/modules/money/reports/reports.routes.ts';
import { royaltyStatementRoutes } from '#src/modules/money/royalty-statements/royalty-statements.routes.ts';
import { registerStatementPages } from '#src/modules/money/royalty-statements/statement-pages.ts';
import { signatureRoutes } from '#src/modules/money/signatures/signatures.routes.ts';
import { statsRoutes } from '#src/modules/money/stats/stats.routes.ts';
import { accountRoutes } from '#src/modules/people/accounts/accounts.routes.ts';
import { customContractRoutes } from '#src/modules/people/custom-contracts/custom-contracts.routes.ts';
import { privacyRoutes } from '#src/modules/people/privacy/privacy.routes.ts';
import { settingsRoutes } from '#src/modules/people/settings/settings.routes.ts';
import { authRoutes } from '#src/modules/people/staff/auth.routes.ts';
import { securityRoutes } from '#src/modules/people/staff/security.routes.ts';
import { staffRoutes } from '#src/modules/people/staff/staff.routes.ts';
import { homeRoutes } from '#src/modules/platform/home/home.routes.ts';
import { journalRoutes } from '#src/modules/platform/journal/journal.routes.ts';
import { lookupRoutes } from '#src/modules/platform/lookup/lookup.routes.ts';
import { searchRoutes } from '#src/modules/platform/search/search.routes.ts';
import { systemRoutes } from '#src/modules/platform/system/system.routes.ts';
import { viewRoutes } from '#src/modules/platform/views/views.routes.ts';
import { registerApiDocs } from './lib/api-docs.ts';
import { endIdleConnections, refuseMalformed, refuseUnusual } from './lib/connections.ts';
import { watchDatabase } from './lib/database-watch.ts';
import type { Deps } from './lib/deps.ts';
import { AppError, errorBody } from './lib/errors.ts';
import { registerHealth } from './lib/health.ts';
import { agentOf, type Route, registerRoute } from './lib/route.ts';
import { newToken } from './lib/secrets.ts';
import { StorageUnavailable } from './lib/storage.ts';
import { traceCalls } from './lib/tracing.ts';
import { isFileLike, webAssets } from './lib/web-assets.ts';

const apiRoutes: readonly Route[] = [
  ...authRoutes,
  ...securityRoutes,
  ...staffRoutes,
  ...journalRoutes,
  ...privacyRoutes,
  ...homeRoutes,
  ...viewRoutes,
  ...accountRoutes,
  ...accountStatementRoutes,
  ...royaltyStatementRoutes,
  ...lookupRoutes,
  ...searchRoutes,
  ...exchangeRateRoutes,
  ...reportRoutes,
  ...monthRoutes,
  ...analyticsRoutes,
  ...compareRoutes,
  ...statementRoutes,
  ...unmatchedRoutes,
  ...ledgerRoutes,
  ...releaseRoutes,
  ...audioRoutes,
  ...coverRoutes,
  ...settingsRoutes,
  ...signatureRoutes,
  ...systemRoutes,
  ...orderRoutes,
  ...payoutRoutes,
  ...promoCodeRoutes,
  ...smartlinkRoutes,
  ...ticketRoutes,
  ...statsRoutes,
  ...customContractRoutes,
  ...toolRoutes,
];

export interface AppOptions {
  deps: Deps;
  /** Proxies whose X-Forwarded-For is trusted (TRUST_PROXY). */
  trustProxy: string[];
  /** The built interface; without it only `/api` answers. */
  webDir: string | undefined;
  metricsToken: string | undefined;
  drainSeconds?: number | undefined;
  /** Login used to check that the database answers; without it there are no checks. */
  databaseUrl?: string;
}

const requestTimeoutMs = 120_000;
const hstsSeconds = 365 * 24 * 3600;
const none = ["'none'"];
const apiPolicy = { defaultSrc: none, objectSrc: none, baseUri: none, formAction: none, frameAncestors: none };

/** Builds the server without listening (tests use `inject`). */
export async function buildApp(options: AppOptions): Promise<FastifyInstance> {
  const { deps } = options;
  const app = fastify({
    loggerInstance: deps.log,
    // Requests are logged below without query strings and bodies, which contain names, tokens and sums.
    logController: new LogController({ disableRequestLogging: true }),
    // An invalid URL reaches no route.
    frameworkErrors: (error, request, reply) => void sendError(reply, toAppError(error, request)),
    clientErrorHandler: refuseMalformed,
    http: { requireHostHeader: false },
    trustProxy: options.trustProxy.length > 0 ? options.trustProxy : false,
    genReqId: () => newToken().slice(0, 16),
    requestTimeout: requestTimeoutMs,
    // Calls that arrive during closing still get their own answer, not a bare 503.
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true },
  });

  traceCalls(app);
  endIdleConnections(app);
  refuseUnusual(app);
  if (options.databaseUrl !== undefined) watchDatabase(app, options.databaseUrl);
  app.decorateRequest('session', undefined);
  app.decorateRequest('refusal', undefined);
  app.decorateRequest('rawBody', undefined);
  app.removeAllContentTypeParsers();
  // Parsed by the route, for authorised senders only.
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    request.rawBody = body as Buffer;
    done(null);
  });

  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
    if (request.url.startsWith('/api') && !reply.hasHeader('cache-control')) reply.header('cache-control', 'no-store');
  });
  app.addHook('onResponse', async (request, reply) => {
    request.log.info(
      {
        method: request.method,
        route: request.routeOptions.url ?? 'none',
        status: reply.statusCode,
        refusal: request.refusal,
        ms: Math.round(reply.elapsedTime),
        admin: request.session?.adminId,
        address: request.ip,
        agent: agentOf(request),
      },
      'request',
    );
  });
  app.setErrorHandler((error: FastifyError | AppError, request, reply) => sendError(reply, toAppError(error, request)));
  app.setNotFoundHandler((_request, reply) => sendError(reply, new AppError('not_found')));

  await app.register(helmet, {
    // Pages and the OpenAPI page set their own policy; API answers are never documents.
    contentSecurityPolicy: { useDefaults: false, directives: apiPolicy },
    crossOriginEmbedderPolicy: false,
    referrerPolicy: { policy: 'same-origin' },
    hsts: deps.cookies.isSecure ? { maxAge: hstsSeconds, includeSubDomains: true } : false,
  });
  await app.register(cookie);
  // Only routes with an upload accept forms.
  await app.register(multipart);
  registerHealth(app, { deps, metricsToken: options.metricsToken, drainSeconds: options.drainSeconds });
  registerApiDocs(app, deps);
  for (const route of apiRoutes) registerRoute(app, deps, route);
  registerStripeWebhook(app, deps);
  await registerSmartlinkPages(app, deps);
  await registerStatementPages(app, deps);
  app.addHook('preClose', async () => closeEvents());
  if (options.webDir) await webAssets(app, { distDir: options.webDir, hasCards: deps.cards !== undefined });
  return app;
}

const fastifyCodes: Record<string, 'invalid_data' | 'too_large' | 'unsupported_type' | 'not_found'> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_type',
  FST_ERR_CTP_BODY_TOO_LARGE: 'too_large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_data',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'invalid_data',
  FST_ERR_BAD_URL: 'invalid_data',
  // No id is that long.
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
  FST_REQ_FILE_TOO_LARGE: 'too_large',
  FST_FILES_LIMIT: 'invalid_data',
  FST_PARTS_LIMIT: 'invalid_data',
  FST_FIELDS_LIMIT: 'invalid_data',
  FST_PROTO_VIOLATION: 'invalid_data',
  FST_MP_PREMATURE_CLOSE: 'invalid_data',
  FST_INVALID_MULTIPART_CONTENT_TYPE: 'invalid_data',
};
const pgTimeouts = new Set(['57014', '55P03']);
// U+0000, which PostgreSQL cannot store; an invalid date (31 February in a cursor); a number out of range.
const pgUnreadable = new Set(['22021', '22P05', '22007', '22008', '22003']);
/** A lone surrogate, which jsonb rejects; the error code alone is not specific enough. */
const isTornText = (error: DatabaseError) => error.code === '22P02' && error.routine?.startsWith('json_') === true;
const pgConflicts = new Set(['23505', '40001', '40P01']);
/** Disk full, for the database or for our files. */
const diskIsFull = new Set(['53100', 'ENOSPC', 'EDQUOT']);
/** The database is stopping, starting or absent. */
const databaseIsGone = /^(57P0[1-5]|08...|53300|ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|E(HOST|NET)UNREACH)$/;
/** Messages of pg, without a code, for connections lost before or during use. */
const connectionIsGone = /^(Connection terminated|Client (has encountered a connection error|was closed))/;
/** Message of the pool, without a code, when no connection was free in time. */
const poolIsBusy = 'timeout exceeded when trying to connect';

function toAppError(error: FastifyError | AppError, { log, method }: FastifyRequest): AppError {
  const isReading = method === 'GET' || method === 'HEAD';
  if (error instanceof AppError) return error;
  const refusal = 'code' in error ? fastifyCodes[error.code] : undefined;
  if (refusal) return new AppError(refusal);
  if (error instanceof DatabaseError && error.code !== undefined) {
    if (pgConflicts.has(error.code)) {
      log.warn({ sqlstate: error.code, constraint: error.constraint }, 'conflict');
      return new AppError('conflict');
    }
    if (pgTimeouts.has(error.code)) {
      return new AppError('unavailable', isReading ? messages.readTookTooLong : messages.tookTooLong);
    }
    if (pgUnreadable.has(error.code) || isTornText(error)) return new AppError('invalid_data');
  }
  if (error instanceof StorageUnavailable) {
    log.error({ storage: error.message }, 'the storage is away');
    return new AppError('unavailable', isReading ? messages.storageAway : messages.storageAwayUnsaved);
  }
  if ('code' in error && diskIsFull.has(error.code)) {
    log.error({ code: error.code }, 'no room is left');
    return new AppError('unavailable', messages.diskFull);
  }
  if (('code' in error && databaseIsGone.test(error.code)) || connectionIsGone.test(error.message)) {
    log.warn('the database is away');
    return new AppError('unavailable');
  }
  if (error.message === poolIsBusy) {
    log.warn('no connection came free');
    return new AppError('unavailable', isReading ? messages.readTookTooLong : messages.tookTooLong);
  }
  // Log only name and stack of database errors: their message may quote a row.
  const lines = error.stack?.split('\n') ?? [];
  const stack = error instanceof DatabaseError ? lines.filter((line) => /^ {4}at /.test(line)) : lines;
  log.error(
    { type: error.name, code: 'code' in error ? error.code : undefined, stack: stack.join('\n') },
    'unexpected error',
  );
  return new AppError('server_error', isReading ? messages.readFailed : messages.serverError);
}

/** Page addresses: not API calls, assets or other files. */
const isPage = (path: string) => path.startsWith('/s/') || !isFileLike.test(path);

function sendError(reply: FastifyReply, error: AppError): FastifyReply {
  const { method, url } = reply.request;
  reply.request.refusal = error.code;
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', String(error.retryAfterSeconds));
  const path = url.split('?')[0] ?? '';
  const isUnknown = error.code === 'not_found' || error.code === 'invalid_data';
  if (isUnknown && isPage(path) && (method === 'GET' || method === 'HEAD')) {
    const isPublic = path.startsWith('/s/');
    return reply
      .code(isPublic ? 404 : error.status)
      .headers({ 'cache-control': 'no-store', 'content-security-policy': smartlinkPolicy })
      .type('text/html; charset=utf-8')
      .send(isPublic ? smartlinkNotFound : pageNotFound);
  }
  return reply.code(error.status).headers(error.headers).type('application/json; charset=utf-8').send(errorBody(error));
}
