import type { CoverWidth } from '@regie/contract/covers.ts';
import { smartlinkPlatforms } from '@regie/contract/smartlinks.ts';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { coverUrl } from '#src/lib/cover-keys.ts';
import type { Deps } from '#src/lib/deps.ts';
import { AppError } from '#src/lib/errors.ts';
import { etagOf, sendFile } from '#src/lib/file-answer.ts';
import { getPicture } from '#src/modules/catalogue/covers/covers.service.ts';
import { ClickCounter } from './click-counter.ts';
import { renderSmartlink, smartlinkNotFound, smartlinkPolicy, smartlinkUnavailable } from './smartlink-page.ts';
import { findPublic, type PublicRow } from './smartlinks.queries.ts';

const slugPattern = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const pictureWidths = new Map<string, CoverWidth>([
  ['365', 365],
  ['730', 730],
  ['1200', 1200],
]);
const defaultWidth = '730';

interface ReadyPage {
  row: PublicRow;
  html: Buffer;
  etag: string;
}

type SlugRequest = FastifyRequest<{ Params: { slug: string } }>;

function prepare(row: PublicRow, baseUrl: string): ReadyPage {
  const html = Buffer.from(
    renderSmartlink({
      slug: row.slug,
      link: baseUrl + row.slug,
      title: row.title,
      artist: row.artistName ?? '',
      hasCover: row.coverKey !== null,
      platforms: smartlinkPlatforms.filter((platform) => row.urls[platform] !== undefined),
    }),
  );
  return { row, html, etag: etagOf(html) };
}

/** A prefetch is not a click. */
const isPrefetch = ({ headers }: FastifyRequest) =>
  /prefetch|prerender/i.test(`${headers['sec-purpose'] ?? ''} ${headers.purpose ?? ''}`);

function sendPage(reply: FastifyReply, html: Buffer | string): FastifyReply {
  return reply
    .header('content-security-policy', smartlinkPolicy)
    .type('text/html; charset=utf-8')
    .send(typeof html === 'string' ? Buffer.from(html) : html);
}

/**
 * See product §34.16: no session, cookie or script. Links redirect through here to be counted; nothing about visitors
 * is stored or logged.
 */
export async function registerSmartlinkPages(app: FastifyInstance, deps: Deps): Promise<void> {
  const clicks = new ClickCounter(deps.db);
  const reading = new Map<string, Promise<ReadyPage | undefined>>();

  /** Concurrent requests share one read; nothing is cached. */
  const find = (slug: string): Promise<ReadyPage | undefined> => {
    if (!slugPattern.test(slug)) return Promise.resolve(undefined);
    let page = reading.get(slug);
    if (!page) {
      page = findPublic(deps.db, slug)
        .then((row) => row && prepare(row, deps.smartlinkBaseUrl))
        .finally(() => reading.delete(slug));
      reading.set(slug, page);
    }
    return page;
  };

  await app.register(async (scope) => {
    scope.setErrorHandler((error: FastifyError | AppError, request, reply) => {
      const isMissing = error instanceof AppError && error.code === 'not_found';
      if (!isMissing) request.log.error({ type: error.name }, 'a public page failed');
      reply.header('cache-control', 'no-store');
      return sendPage(reply.code(isMissing ? 404 : 503), isMissing ? smartlinkNotFound : smartlinkUnavailable);
    });
    const get = async (slug: string): Promise<ReadyPage> => {
      const page = await find(slug);
      if (!page) throw new AppError('not_found');
      return page;
    };

    // Other addresses, such as overlong names, get the missing page, not the application.
    scope.get('/s/*', async () => {
      throw new AppError('not_found');
    });

    scope.get('/s/:slug', async (request: SlugRequest, reply) => {
      const page = await get(request.params.slug);
      // Relative addresses assume no trailing slash.
      if (request.url.split('?')[0]?.endsWith('/')) return reply.redirect(`../${page.row.slug}`, 308);
      reply.header('cache-control', 'public, no-cache').header('etag', page.etag);
      if (request.headers['if-none-match'] === page.etag) {
        // Headers of the 304 replace the cached ones.
        return reply.header('content-security-policy', smartlinkPolicy).code(304).send();
      }
      return sendPage(reply, page.html);
    });

    scope.get('/s/:slug/cover.webp', async (request: SlugRequest, reply) => {
      const { w = defaultWidth } = request.query as { w?: unknown };
      const width = pictureWidths.get(String(w));
      const { row } = await get(request.params.slug);
      if (width === undefined || row.coverKey === null) throw new AppError('not_found');
      const picture = await getPicture(deps, deps.db, coverUrl(row.coverKey).slice('/api/img/'.length), width);
      return sendFile(request, reply, { ...picture, cacheControl: 'public, max-age=300' });
    });

    scope.get('/s/:slug/:platform', async (request: FastifyRequest<{ Params: Record<string, string> }>, reply) => {
      const { row } = await get(request.params.slug ?? '');
      const platform = smartlinkPlatforms.find((name) => name === request.params.platform);
      const url = platform && row.urls[platform];
      if (!url) throw new AppError('not_found');
      if (request.method === 'GET' && !isPrefetch(request)) {
        // Redirect even when counting fails.
        await clicks
          .count(row.id, platform)
          .catch((error: unknown) => request.log.warn({ error: String(error) }, 'a click was not counted'));
      }
      return reply.header('cache-control', 'no-store').header('x-robots-tag', 'noindex').redirect(url, 302);
    });
  });
}
