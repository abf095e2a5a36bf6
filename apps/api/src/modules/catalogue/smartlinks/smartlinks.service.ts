import { messages } from '@regie/contract/messages.ts';
import { formatDay } from '@regie/contract/routes/releases.ts';
import {
  type SmartlinkDetail,
  type SmartlinkForm,
  SmartlinkUrls,
  smartlinkDays,
} from '@regie/contract/routes/smartlinks.ts';
import { toSmartlinkSlug } from '@regie/contract/smartlinks.ts';
import { states } from '@regie/contract/states.ts';
import { changesBetween, writeAudit } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { conflict, invalid, orNotFound } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { toCoverDetails } from '#src/modules/catalogue/releases/release-views.service.ts';
import * as queries from './smartlinks.queries.ts';

const toWire = (row: queries.SmartlinkRow, baseUrl: string) => ({
  ...toWireRow(row),
  link: baseUrl + row.slug,
  status: states.smartlink.toWire[row.status],
  urls: JSON.stringify(SmartlinkUrls.parse(row.urls)),
  Library: {
    id: row.releaseId,
    title: row.title,
    artist: row.artistName ?? '',
    coverDetails: toCoverDetails(row),
    isWithdrawn: row.isWithdrawn,
  },
});

export async function listSmartlinks(
  db: Trx,
  baseUrl: string,
  status: 'pending' | 'enabled',
  filter: queries.SmartlinkFilter,
) {
  const { rows, meta } = await queries.listSmartlinks(db, status, smartlinkDays, filter);
  return { data: rows.map((row) => ({ ...toWire(row, baseUrl), clicksByDay: row.clicksByDay })), meta };
}

export async function getSmartlink(db: Trx, caller: Caller, baseUrl: string, id: number): Promise<SmartlinkDetail> {
  const row = orNotFound(await queries.findSmartlink(db, id));
  const Account = { id: row.accountId, fname: row.firstName, lname: row.lastName };
  return { ...toWire(row, baseUrl), Account: caller.can('manage_profiles') ? Account : null };
}

export async function getClicks(db: Trx, id: number) {
  const row = orNotFound(await queries.findSmartlink(db, id));
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

/** The slug comes from the title. @throws validation_failed for an unknown release */
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
  const detail = await getSmartlink(trx, caller, baseUrl, id);
  await writeAudit(trx, caller, {
    action: 'smartlink.create',
    entityId: id,
    after: { slug: detail.slug, status: detail.status, libraryId: releaseId },
  });
  return detail;
}

const describe = (status: string, urls: queries.StoredUrls) => ({
  status,
  urls: Object.entries(urls)
    .map(([platform, url]) => `${platform}: ${url}`)
    .sort(),
});

/** Any status (product §24.1, §25.6). @throws not_found; conflict when it changed since the form was opened */
export async function editSmartlink(
  trx: Trx,
  caller: Caller,
  baseUrl: string,
  id: number,
  form: SmartlinkForm,
): Promise<SmartlinkDetail> {
  const row = orNotFound(await queries.lockSmartlink(trx, id));
  if (form.updatedAt !== undefined && form.updatedAt !== row.updatedAt.getTime()) throw conflict();
  const urls: queries.StoredUrls = Object.fromEntries(
    Object.entries(form.urls).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
  const changes = changesBetween(describe(states.smartlink.toWire[row.status], row.urls), describe(form.status, urls));
  if (changes) {
    await queries.writeSmartlink(trx, id, states.smartlink.toStored[form.status], urls);
    await writeAudit(trx, caller, { action: 'smartlink.edit', entityId: id, ...changes });
  }
  return getSmartlink(trx, caller, baseUrl, id);
}

export async function deleteSmartlink(trx: Trx, caller: Caller, id: number): Promise<{ id: number }> {
  const row = orNotFound(await queries.lockSmartlink(trx, id));
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
  return { id };
}
