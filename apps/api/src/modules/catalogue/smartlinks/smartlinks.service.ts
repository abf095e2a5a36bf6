import { messages } from '@regie/contract/messages.ts';
import { formatDay } from '@regie/contract/routes/releases.ts';
import {
  type SmartlinkClicks,
  type SmartlinkDetail,
  type SmartlinkForm,
  type SmartlinkRow,
  SmartlinkUrls,
  smartlinkDays,
} from '@regie/contract/routes/smartlinks.ts';
import { toSmartlinkSlug } from '@regie/contract/smartlinks.ts';
import { states } from '@regie/contract/states.ts';
import { changesBetween, writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { conflict, invalid, notFound } from '#src/lib/errors.ts';
import type { Answer, Caller } from '#src/lib/route.ts';
import * as queries from './smartlinks.queries.ts';

const toDetail = (row: queries.SmartlinkRow, baseUrl: string): SmartlinkDetail => ({
  id: row.id,
  slug: row.slug,
  link: baseUrl + row.slug,
  status: states.smartlink.toWire[row.status],
  urls: JSON.stringify(SmartlinkUrls.parse(row.urls)),
  createdAt: row.createdAt.getTime(),
  updatedAt: row.updatedAt.getTime(),
  Library: { id: row.releaseId, title: row.title, artist: row.artistName ?? '', isWithdrawn: row.isWithdrawn },
  clicks: row.clicks,
});

/** One page of the pending or the public links. */
export async function listSmartlinks(
  db: Trx,
  baseUrl: string,
  status: 'pending' | 'enabled',
  filter: queries.SmartlinkFilter,
): Promise<Answer<SmartlinkRow[]>> {
  const { rows, meta } = await queries.listSmartlinks(db, status, smartlinkDays, filter);
  return { data: rows.map((row) => ({ ...toDetail(row, baseUrl), clicksByDay: row.clicksByDay })), meta };
}

/** @throws AppError not_found */
export async function getSmartlink(db: Trx, baseUrl: string, id: number): Promise<SmartlinkDetail> {
  const row = await queries.findSmartlink(db, id);
  if (!row) throw notFound();
  return toDetail(row, baseUrl);
}

/** Clicks by platform and day. @throws AppError not_found */
export async function getClicks(db: Trx, id: number): Promise<SmartlinkClicks> {
  const row = await queries.findSmartlink(db, id);
  if (!row) throw notFound();
  const { byDay, byPlatform } = await queries.listClicks(db, id);
  const days = Map.groupBy(byDay, ({ day }) => day);
  return {
    total: row.clicks,
    platforms: byPlatform,
    days: [...days].map(([day, platforms]) => ({
      day: formatDay(day),
      platforms: platforms.map(({ platform, clicks }) => ({ platform, clicks })),
    })),
  };
}

/** The first free of `titre`, `titre-2`, `titre-3`… */
async function insertWithFreeSlug(trx: Trx, base: string, releaseId: number, caller: Caller): Promise<number> {
  for (;;) {
    const taken = await queries.listSlugsOf(trx, base);
    let slug = base;
    for (let twin = 2; taken.has(slug); twin += 1) slug = `${base}-${twin}`;
    const id = await queries.insertSmartlink(trx, { releaseId, slug, createdBy: caller.adminId });
    if (id !== undefined) return id;
  }
}

/**
 * Creates a pending link for a release, with a slug from its title.
 * @throws AppError validation_failed for an unknown release
 */
export async function createSmartlink(
  trx: Trx,
  caller: Caller,
  baseUrl: string,
  releaseId: number,
): Promise<SmartlinkDetail> {
  const release = await queries.findRelease(trx, releaseId);
  if (!release) throw invalid({ libraryId: messages.unknownRelease });
  // A title without Latin letters gives no slug.
  const base = toSmartlinkSlug(release.title) || toSmartlinkSlug(release.artistName ?? '') || `sortie-${releaseId}`;
  const id = await insertWithFreeSlug(trx, base, releaseId, caller);
  const detail = await getSmartlink(trx, baseUrl, id);
  await writeAudit(trx, caller, {
    action: 'smartlink.create',
    entityId: id,
    after: { slug: detail.slug, status: detail.status, libraryId: releaseId },
  });
  return detail;
}

/** A link's editable fields for the journal. */
const describe = (status: string, urls: queries.StoredUrls) => ({
  status,
  urls: Object.entries(urls)
    .map(([platform, url]) => `${platform}: ${url}`)
    .sort(),
});

/**
 * Sets the status (any change is allowed) and the platform addresses (product §24.1, §25.6).
 * @throws AppError not_found; conflict when the link changed since the form was opened
 */
export async function editSmartlink(
  trx: Trx,
  caller: Caller,
  baseUrl: string,
  id: number,
  form: SmartlinkForm,
): Promise<SmartlinkDetail> {
  const row = await queries.lockSmartlink(trx, id);
  if (!row) throw notFound();
  if (form.updatedAt !== undefined && form.updatedAt !== row.updatedAt.getTime()) throw conflict();
  const urls: queries.StoredUrls = Object.fromEntries(
    Object.entries(form.urls).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  const changes = changesBetween(describe(states.smartlink.toWire[row.status], row.urls), describe(form.status, urls));
  if (changes) {
    await queries.writeSmartlink(trx, id, states.smartlink.toStored[form.status], urls);
    await writeAudit(trx, caller, { action: 'smartlink.edit', entityId: id, ...changes });
  }
  return getSmartlink(trx, baseUrl, id);
}

/** Deletes a link with its addresses and clicks. @throws AppError not_found */
export async function deleteSmartlink(trx: Trx, caller: Caller, id: number): Promise<void> {
  const row = await queries.lockSmartlink(trx, id);
  if (!row) throw notFound();
  await queries.deleteSmartlink(trx, id);
  await writeAudit(trx, caller, {
    action: 'smartlink.delete',
    entityId: id,
    before: {
      slug: row.slug,
      libraryId: row.releaseId,
      clicks: row.clicks,
      ...describe(states.smartlink.toWire[row.status], row.urls),
    },
  });
}
