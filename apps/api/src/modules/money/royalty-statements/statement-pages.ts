import { formatLongDate } from '@regie/values/formats.ts';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Deps } from '#src/lib/deps.ts';
import { AppError } from '#src/lib/errors.ts';
import { sendFile } from '#src/lib/file-answer.ts';
import { createLimiter, spend } from '#src/lib/rate-limits.ts';
import { findByToken } from './royalty-letters.service.ts';
import { downloadLines, getStatementPdf, listLines } from './royalty-runs.service.ts';
import * as pages from './statement-page.ts';

const prefix = '/releve';
/** Requests of an IP address with an invalid link. */
const misses = { name: 'royalty-miss', points: 30, seconds: 600 };
/** Requests that read a statement's lines or print it. */
const works = { name: 'royalty-work', points: 60, seconds: 600 };

type Found = NonNullable<Awaited<ReturnType<typeof findByToken>>>;
type TokenRequest = FastifyRequest<{
  Params: { token: string; trackId?: string };
  Querystring: Record<string, unknown>;
}>;

const toCount = (value: unknown) => (/^\d{1,9}$/.test(String(value)) ? Number(value) : undefined);

function sendPage(reply: FastifyReply, html: string): FastifyReply {
  return reply
    .headers({
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
      'content-security-policy': pages.statementPolicy,
    })
    .type('text/html; charset=utf-8')
    .send(html);
}

/** The pages behind the links of statements: no session, cookie or script (decision 540). */
export async function registerStatementPages(app: FastifyInstance, deps: Deps): Promise<void> {
  const { db } = deps;
  const [missed, worked] = [createLimiter(db, misses), createLimiter(db, works)];
  const reading = new Map<string, ReturnType<typeof findByToken>>();

  /** Concurrent requests share one read; nothing is cached. @throws not_found, or too_many_requests */
  async function find(request: TokenRequest): Promise<Found & { record: NonNullable<Found['record']> }> {
    const { token } = request.params;
    let read = reading.get(token);
    if (!read) {
      read = findByToken(db, deps.cookies.secret, token).finally(() => reading.delete(token));
      reading.set(token, read);
    }
    const statement = await read;
    if (statement?.record) return { ...statement, record: statement.record };
    await spend(missed, request.ip);
    throw new AppError('not_found');
  }

  await app.register(
    async (scope) => {
      scope.setErrorHandler((error: FastifyError | AppError, request, reply) => {
        const code = error instanceof AppError ? error.code : undefined;
        if (code === 'too_many_requests') {
          if ('retryAfterSeconds' in error) reply.header('retry-after', String(error.retryAfterSeconds));
          return sendPage(reply.code(429), pages.statementThrottled);
        }
        if (code === 'not_found') return sendPage(reply.code(404), pages.statementNotFound);
        request.log.error({ type: error.name }, 'the page of a statement failed');
        return sendPage(reply.code(503), pages.statementUnavailable);
      });
      const baseOf = ({ params }: TokenRequest) => `${prefix}/${params.token}`;
      const show = (reply: FastifyReply, html: string | undefined) => {
        if (html === undefined) throw new AppError('not_found');
        return sendPage(reply, html);
      };

      scope.get('/*', async () => {
        throw new AppError('not_found');
      });
      scope.get('/:token', async (request: TokenRequest, reply) => {
        const { record, publishedAt } = await find(request);
        return show(reply, pages.renderStatement(baseOf(request), record, formatLongDate(publishedAt.getTime())));
      });
      scope.get('/:token/titres', async (request: TokenRequest, reply) => {
        const { record } = await find(request);
        return show(reply, pages.renderTracks(baseOf(request), record, toCount(request.query.page ?? 1) || 1));
      });
      scope.get('/:token/titre/:trackId', async (request: TokenRequest, reply) => {
        const { id, record } = await find(request);
        const trackId = toCount(request.params.trackId);
        if (trackId === undefined) throw new AppError('not_found');
        await spend(worked, String(id));
        const limit = pages.linesPerPage;
        const after = toCount(request.query.apres) ?? 0;
        const lines = await listLines(db, deps.lines, id, { after, limit: limit + 1, trackId });
        if (lines.length === 0) throw new AppError('not_found');
        const hasMore = lines.length > limit;
        return show(reply, pages.renderWhy(baseOf(request), record, trackId, lines.slice(0, limit), hasMore));
      });
      scope.get('/:token/releve.pdf', async (request: TokenRequest, reply) => {
        const { id } = await find(request);
        await spend(worked, String(id));
        return sendFile(request, reply.header('x-robots-tag', 'noindex'), await getStatementPdf(db, id));
      });
      scope.get('/:token/lignes.csv', async (request: TokenRequest, reply) => {
        const { id } = await find(request);
        await spend(worked, String(id));
        return sendFile(request, reply.header('x-robots-tag', 'noindex'), await downloadLines(db, deps.lines, id));
      });
    },
    { prefix },
  );
}
