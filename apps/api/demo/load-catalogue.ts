import { toDecimal } from '@regie/values/decimal.ts';
import { toLanguageCode } from '@regie/values/languages.ts';
import { sirenOfVat } from '@regie/values/siren.ts';
import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import type { Trx } from '#src/lib/db.ts';
import { dayOf, dayText, instantOn, yearOfDay } from './calendar.ts';
import type { DemoBlock, DemoRelease } from './catalogue.ts';
import { copyRows } from './copy-rows.ts';
import { demoHouse } from './house.ts';
import { at, Random, seedOf } from './random.ts';
import { inventOrders, inventPromoCodes, inventSmartlinks, inventTickets } from './services.ts';
import { inventClicks } from './smartlink-clicks.ts';

export interface LoadedBlock {
  accountIds: readonly number[];
  releaseIds: readonly number[];
  trackIds: readonly (readonly number[])[];
}

/** COPY needs the client that runs `trx`. */
export interface Target {
  trx: Trx;
  client: ClientBase;
}

/** Loads a block except royalties and payouts; skips existing rows. */
export async function loadBlock(target: Target, block: DemoBlock): Promise<LoadedBlock> {
  const accountIds = await loadAccounts(target, block);
  await copyRows(
    target.client,
    'referrals',
    block.referrals.map((referral) => ({
      referrerId: at(accountIds, referral.referrer),
      referredId: at(accountIds, referral.referred),
      percentile: referral.percentile,
      createdAt: `${dayText(referral.day)}T10:00:00Z`,
    })),
  );
  const { releaseIds, trackIds } = await loadReleases(target, block, accountIds);
  await loadCredits(target, block, trackIds);
  await loadBillingAccounts(target, block, accountIds);
  await loadOrders(target, block, accountIds, releaseIds);
  await loadSmartlinks(target, block, releaseIds);
  await copyRows(
    target.client,
    'tickets',
    inventTickets(block).map(({ owner, release, ...ticket }) => ({
      ...ticket,
      accountId: at(accountIds, owner),
      trackId: at(at(trackIds, release), 0),
    })),
  );
  return { accountIds, releaseIds, trackIds };
}

/** Reserves ids: COPY may set generated ones. */
export async function reserveIds(trx: Trx, table: string, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    SELECT nextval(pg_get_serial_sequence(${table}, 'id')) AS id FROM generate_series(1, ${count})`.execute(trx);
  return rows.map((row) => row.id);
}

async function loadAccounts({ trx, client }: Target, block: DemoBlock): Promise<number[]> {
  const ids = await reserveIds(trx, 'accounts', block.accounts.length);
  const random = new Random(seedOf('account instants', block.index));
  await copyRows(
    client,
    'accounts',
    block.accounts.map((account, index) => {
      const { city, postcode, country, timezone } = account.place;
      const { joinedDay, origin, stageNames, isrcPrefix, hasVideoChannel, place: _, ...columns } = account;
      const createdAt = instantOn(joinedDay, random);
      // Some are still to be asked for.
      const siren = index % 5 === 0 ? null : (sirenOfVat(columns.vatNumber ?? '') ?? null);
      const vatRegime = siren === null ? null : index % 3 === 0 ? 'simplified' : 'normal';
      const company = { siren, electronicAddress: siren, vatRegime };
      const place = { city, postcode, country, timezone };
      return { id: at(ids, index), ...columns, ...company, ...place, createdAt, updatedAt: createdAt };
    }),
  );
  return ids;
}

/** Declared for what was added since June 2026; some of it is open. */
function declareAi(random: Random, release: DemoRelease): 'none' | 'partly' | 'all' | null {
  const asked = random.int(1, 20);
  if (release.createdDay < dayOf('2026-06-01') || asked > 17) return null;
  return asked === 17 ? 'all' : asked > 14 ? 'partly' : 'none';
}

const deletedAt = (release: DemoRelease) =>
  release.isDeleted ? `${dayText(release.createdDay + 30)}T09:00:00Z` : null;

async function loadReleases({ trx, client }: Target, block: DemoBlock, accountIds: readonly number[]) {
  const random = new Random(seedOf('release instants', block.index));
  const ai = new Random(seedOf('ai', block.index));
  const releaseIds = await reserveIds(trx, 'releases', block.releases.length);
  const flatTrackIds = await reserveIds(trx, 'tracks', block.releases.flatMap(({ tracks }) => tracks).length);
  const createdAts = block.releases.map((release) => instantOn(release.createdDay, random));
  await copyRows(
    client,
    'releases',
    block.releases.map((release, index) => {
      const year = yearOfDay(release.originalDay ?? release.createdDay);
      const createdAt = at(createdAts, index);
      const { owner, tracks, originalDay, digitalDay, createdDay, isDeleted, owningName, ...columns } = release;
      return {
        ...columns,
        id: at(releaseIds, index),
        accountId: at(accountIds, owner),
        language: release.language && toLanguageCode(release.language),
        originalReleaseDate: originalDay === null ? null : dayText(originalDay),
        digitalReleaseDate: digitalDay === null ? null : dayText(digitalDay),
        recordingYear: year,
        recordingOwner: owningName,
        coverOwner: owningName,
        coverYear: year,
        digitalLabel: release.plan === null || release.label === '' ? null : release.label,
        digitalGenre: release.genre,
        digitalSubgenre: release.subgenre,
        coverAi: declareAi(ai, release),
        createdAt,
        updatedAt: createdAt,
        deletedAt: deletedAt(release),
      };
    }),
  );
  let used = 0;
  const trackIds = block.releases.map((release) => {
    const ids = flatTrackIds.slice(used, used + release.tracks.length);
    used += ids.length;
    return ids;
  });
  await copyRows(
    client,
    'tracks',
    block.releases.flatMap((release, index) =>
      release.tracks.map(({ credits, ...track }, position) => ({
        id: at(at(trackIds, index), position),
        releaseId: at(releaseIds, index),
        accountId: at(accountIds, release.owner),
        position,
        ...track,
        language: track.language && toLanguageCode(track.language),
        genre: release.genre,
        subgenre: release.subgenre,
        recordingYear: yearOfDay(release.originalDay ?? release.createdDay),
        recordingOwner: release.owningName,
        recordingAi: declareAi(ai, release),
        compositionAi: declareAi(ai, release),
        createdAt: at(createdAts, index),
        updatedAt: at(createdAts, index),
        deletedAt: deletedAt(release),
      })),
    ),
  );
  return { releaseIds, trackIds };
}

async function loadCredits({ trx, client }: Target, block: DemoBlock, trackIds: readonly number[][]): Promise<void> {
  const peopleIds = await reserveIds(trx, 'people', block.people.length);
  await copyRows(
    client,
    'people',
    block.people.map((person, index) => ({ id: at(peopleIds, index), ...person, createdAt: '2024-09-30T08:00:00Z' })),
  );
  await copyRows(
    client,
    'track_credits',
    block.releases.flatMap((release, index) =>
      release.tracks.flatMap((track, position) =>
        track.credits.map(({ person, kind, role }, rank) => ({
          trackId: at(at(trackIds, index), position),
          personId: at(peopleIds, person),
          kind,
          role,
          position: rank,
        })),
      ),
    ),
  );
}

async function loadBillingAccounts({ client }: Target, block: DemoBlock, accountIds: readonly number[]): Promise<void> {
  await copyRows(
    client,
    'billing_accounts',
    block.billingAccounts.map(({ account, createdDay, ...columns }) => {
      const { address, address2, place } = at(block.accounts, account);
      return {
        ...columns,
        accountId: at(accountIds, account),
        holderAddress: address,
        holderAddress2: address2,
        holderCity: place.city,
        holderCountry: place.country,
        holderPostcode: place.postcode,
        bankAddress: columns.type === 'bank' ? '1, place du Marché' : null,
        createdAt: `${dayText(createdDay)}T09:30:00Z`,
      };
    }),
  );
}

async function loadOrders(
  { trx, client }: Target,
  block: DemoBlock,
  accountIds: readonly number[],
  releaseIds: readonly number[],
): Promise<void> {
  const codes = inventPromoCodes(block);
  const codeIds = await reserveIds(trx, 'promo_codes', codes.length);
  await copyRows(
    client,
    'promo_codes',
    codes.map(({ dueDay, createdDay, ...code }, index) => ({
      id: at(codeIds, index),
      ...code,
      dueDate: dayText(dueDay),
      createdAt: `${dayText(createdDay)}T08:00:00Z`,
    })),
  );
  await copyRows(
    client,
    'orders',
    inventOrders(block).map(
      ({ owner, release, planCents, labelFeeCents, expressCents, discountCents, promoCode, dueDay, ...order }) => ({
        accountId: at(accountIds, owner),
        releaseId: release === null ? null : at(releaseIds, release),
        planPrice: toDecimal(planCents),
        labelFees: toDecimal(labelFeeCents),
        expressPrice: toDecimal(expressCents),
        discount: toDecimal(discountCents),
        promoCodeId: promoCode === null ? null : at(codeIds, promoCode),
        dueDate: dueDay === null ? null : dayText(dueDay),
        issuedAt: order.paidAt,
        ...order,
      }),
    ),
  );
}

async function loadSmartlinks({ trx, client }: Target, block: DemoBlock, releaseIds: readonly number[]): Promise<void> {
  const smartlinks = inventSmartlinks(block);
  const clicks = smartlinks.map(inventClicks);
  const ids = await reserveIds(trx, 'smartlinks', smartlinks.length);
  await copyRows(
    client,
    'smartlinks',
    smartlinks.map(({ slug, status, createdAt, release }, index) => ({
      id: at(ids, index),
      releaseId: at(releaseIds, release),
      slug,
      status,
      createdAt,
      updatedAt: createdAt,
      clicks: at(clicks, index).reduce((sum, day) => sum + day.clicks, 0),
    })),
  );
  await copyRows(
    client,
    'smartlink_urls',
    smartlinks.flatMap((smartlink, index) =>
      smartlink.urls.map(([platform, url]) => ({ smartlinkId: at(ids, index), platform, url })),
    ),
  );
  await copyRows(
    client,
    'smartlink_clicks',
    clicks.flatMap((days, index) => days.map((day) => ({ smartlinkId: at(ids, index), ...day }))),
  );
}

/** Numbers the invoices of the loaded orders without gaps per year, in order of issue (product §34.8). */
export async function numberInvoices(trx: Trx): Promise<void> {
  await sql`
    WITH issued AS (
      SELECT id, extract(year FROM issued_at AT TIME ZONE 'Europe/Paris')::smallint AS year, issued_at
        FROM orders WHERE issued_at IS NOT NULL AND invoice_number IS NULL
    ),
    numbered AS (
      SELECT issued.id, issued.year,
             coalesce(c.last_number, 0) + row_number() OVER (PARTITION BY issued.year ORDER BY issued.issued_at, issued.id) AS number
        FROM issued LEFT JOIN invoice_counters c ON c.year = issued.year
    ),
    written AS (
      UPDATE orders SET invoice_year = n.year, invoice_number = n.number, buyer = buyer_of(account_id),
             seller = ${JSON.stringify(demoHouse)}::jsonb
        FROM numbered n WHERE orders.id = n.id
    )
    INSERT INTO invoice_counters (year, last_number)
    SELECT year, max(number) FROM numbered GROUP BY year
    ON CONFLICT (year) DO UPDATE SET last_number = excluded.last_number`.execute(trx);
}
