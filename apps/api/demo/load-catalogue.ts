import { toDecimal } from '@regie/values/decimal.ts';
import { toLanguageCode } from '@regie/values/languages.ts';
import { sql } from 'kysely';
import type { ClientBase } from 'pg';
import type { Trx } from '#src/lib/db.ts';
import { dayText, instantOn, yearOfDay } from './calendar.ts';
import type { DemoBlock } from './catalogue.ts';
import { type CopyValue, copyRows } from './copy-rows.ts';
import { at, Random, seedOf } from './random.ts';
import { inventOrders, inventPromoCodes, inventSmartlinks, inventTickets } from './services.ts';
import { inventClicks } from './smartlink-clicks.ts';

export interface LoadedBlock {
  accountIds: readonly number[];
  releaseIds: readonly number[];
  trackIds: readonly (readonly number[])[];
  tracks: number;
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
    ['referrer_id', 'referred_id', 'percentile', 'created_at'],
    block.referrals.map((referral) => [
      at(accountIds, referral.referrer),
      at(accountIds, referral.referred),
      referral.percentile,
      `${dayText(referral.day)}T10:00:00Z`,
    ]),
  );
  const { releaseIds, trackIds } = await loadReleases(target, block, accountIds);
  await loadCredits(target, block, trackIds);
  await loadBillingAccounts(target, block, accountIds);
  await loadOrders(target, block, accountIds, releaseIds);
  await loadSmartlinks(target, block, releaseIds);
  await loadTickets(target, block, accountIds, trackIds);
  return { accountIds, releaseIds, trackIds, tracks: trackIds.reduce((sum, ids) => sum + ids.length, 0) };
}

/** Reserves ids: COPY may set generated ones. */
async function reserveIds(trx: Trx, table: string, count: number): Promise<number[]> {
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
    [
      ...['id', 'first_name', 'last_name', 'email', 'company', 'address', 'address2', 'city', 'postcode', 'country'],
      ...['vat_number', 'timezone', 'role', 'state', 'library_percentile', 'youtube_percentile', 'memo'],
      ...['created_at', 'updated_at'],
    ],
    block.accounts.map((account, index) => {
      const createdAt = instantOn(account.joinedDay, random);
      return [
        at(ids, index),
        account.firstName,
        account.lastName,
        account.email,
        account.company,
        account.address,
        account.address2,
        account.place.city,
        account.place.postcode,
        account.place.country,
        account.vatNumber,
        account.place.timezone,
        account.role,
        account.state,
        account.libraryPercentile,
        account.youtubePercentile,
        account.memo,
        createdAt,
        createdAt,
      ];
    }),
  );
  return ids;
}

async function loadReleases(
  { trx, client }: Target,
  block: DemoBlock,
  accountIds: readonly number[],
): Promise<{ releaseIds: number[]; trackIds: number[][] }> {
  const random = new Random(seedOf('release instants', block.index));
  const releaseIds = await reserveIds(trx, 'releases', block.releases.length);
  const flatTrackIds = await reserveIds(
    trx,
    'tracks',
    block.releases.reduce((sum, release) => sum + release.tracks.length, 0),
  );
  const createdAts = block.releases.map((release) => instantOn(release.createdDay, random));
  await copyRows(
    client,
    'releases',
    [
      ...[
        'id',
        'account_id',
        'title',
        'version',
        'artist_name',
        'label',
        'status',
        'note',
        'language',
        'genre',
        'subgenre',
      ],
      ...['original_release_date', 'digital_release_date', 'publisher_link', 'recording_year', 'recording_owner'],
      ...[
        'cover_owner',
        'cover_year',
        'barcode',
        'catalog_number',
        'digital_label',
        'digital_genre',
        'digital_subgenre',
      ],
      ...['plan', 'has_express_delivery', 'territories', 'platforms', 'created_at', 'updated_at', 'deleted_at'],
    ],
    block.releases.map((release, index): CopyValue[] => {
      const year = yearOfDay(release.originalDay ?? release.createdDay);
      const createdAt = at(createdAts, index);
      return [
        at(releaseIds, index),
        at(accountIds, release.owner),
        release.title,
        release.version,
        release.artistName,
        release.label,
        release.status,
        release.note,
        release.language && toLanguageCode(release.language),
        release.genre,
        release.subgenre,
        release.originalDay === null ? null : dayText(release.originalDay),
        release.digitalDay === null ? null : dayText(release.digitalDay),
        release.publisherLink,
        year,
        release.owningName,
        release.owningName,
        year,
        release.barcode,
        release.catalogNumber,
        release.plan === null || release.label === '' ? null : release.label,
        release.genre,
        release.subgenre,
        release.plan,
        release.hasExpressDelivery,
        release.territories,
        release.platforms,
        createdAt,
        createdAt,
        release.isDeleted ? `${dayText(release.createdDay + 30)}T09:00:00Z` : null,
      ];
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
    [
      ...[
        'id',
        'release_id',
        'account_id',
        'position',
        'title',
        'version',
        'isrc',
        'language',
        'has_no_voice',
        'genre',
      ],
      ...['subgenre', 'recording_year', 'recording_owner', 'preview_start_seconds', 'youtube_video_id'],
      ...['created_at', 'updated_at', 'deleted_at'],
    ],
    block.releases.flatMap((release, index) =>
      release.tracks.map((track, position): CopyValue[] => [
        at(at(trackIds, index), position),
        at(releaseIds, index),
        at(accountIds, release.owner),
        position,
        track.title,
        track.version,
        track.isrc,
        track.language && toLanguageCode(track.language),
        track.hasNoVoice,
        release.genre,
        release.subgenre,
        yearOfDay(release.originalDay ?? release.createdDay),
        release.owningName,
        track.previewStartSeconds,
        track.youtubeVideoId,
        at(createdAts, index),
        at(createdAts, index),
        release.isDeleted ? `${dayText(release.createdDay + 30)}T09:00:00Z` : null,
      ]),
    ),
  );
  return { releaseIds, trackIds };
}

async function loadCredits({ trx, client }: Target, block: DemoBlock, trackIds: readonly number[][]): Promise<void> {
  const peopleIds = await reserveIds(trx, 'people', block.people.length);
  await copyRows(
    client,
    'people',
    ['id', 'full_name', 'spotify_id', 'apple_music_id', 'created_at'],
    block.people.map((person, index) => [
      at(peopleIds, index),
      person.fullName,
      person.spotifyId,
      person.appleMusicId,
      '2024-09-30T08:00:00Z',
    ]),
  );
  await copyRows(
    client,
    'track_credits',
    ['track_id', 'person_id', 'kind', 'role', 'position'],
    block.releases.flatMap((release, index) =>
      release.tracks.flatMap((track, position) =>
        track.credits.map((credit, rank): CopyValue[] => [
          at(at(trackIds, index), position),
          at(peopleIds, credit.person),
          credit.kind,
          credit.role,
          rank,
        ]),
      ),
    ),
  );
}

async function loadBillingAccounts({ client }: Target, block: DemoBlock, accountIds: readonly number[]): Promise<void> {
  await copyRows(
    client,
    'billing_accounts',
    [
      ...['account_id', 'type', 'email', 'owner', 'holder_address', 'holder_address2', 'holder_city', 'holder_country'],
      ...[
        'holder_postcode',
        'bank_name',
        'bank_country',
        'bank_address',
        'bank_city',
        'bank_zip_code',
        'iban',
        'swift',
      ],
      'created_at',
    ],
    block.billingAccounts.map(({ owner, type, email, holder, bank, createdDay }) => {
      const account = at(block.accounts, owner);
      return [
        at(accountIds, owner),
        type,
        email,
        holder,
        account.address,
        account.address2,
        account.place.city,
        account.place.country,
        account.place.postcode,
        bank?.name ?? null,
        bank?.country ?? null,
        bank ? '1, place du Marché' : null,
        bank?.city ?? null,
        bank?.zipCode ?? null,
        bank?.iban ?? null,
        bank?.bic ?? null,
        `${dayText(createdDay)}T09:30:00Z`,
      ];
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
    ['id', 'name', 'description', 'percent', 'due_date', 'created_at'],
    codes.map((code, index) => [
      at(codeIds, index),
      code.name,
      code.description,
      code.percent,
      dayText(code.dueDay),
      `${dayText(code.createdDay)}T08:00:00Z`,
    ]),
  );
  await copyRows(
    client,
    'orders',
    [
      ...['account_id', 'release_id', 'plan', 'status', 'plan_price', 'label_fees', 'express_price', 'discount'],
      ...['promo_code_id', 'due_date', 'card_transaction_id', 'receipt_email', 'payment_reference'],
      ...['issued_at', 'paid_at', 'created_at'],
    ],
    inventOrders(block).map((order) => [
      at(accountIds, order.owner),
      order.release === null ? null : at(releaseIds, order.release),
      order.plan,
      order.status,
      toDecimal(order.planCents),
      toDecimal(order.labelFeeCents),
      toDecimal(order.expressCents),
      toDecimal(order.discountCents),
      order.promoCode === null ? null : at(codeIds, order.promoCode),
      order.dueDay === null ? null : dayText(order.dueDay),
      order.cardTransactionId,
      order.receiptEmail,
      order.paymentReference,
      order.paidAt,
      order.paidAt,
      order.createdAt,
    ]),
  );
}

async function loadSmartlinks({ trx, client }: Target, block: DemoBlock, releaseIds: readonly number[]): Promise<void> {
  const smartlinks = inventSmartlinks(block);
  const clicks = smartlinks.map(inventClicks);
  const ids = await reserveIds(trx, 'smartlinks', smartlinks.length);
  await copyRows(
    client,
    'smartlinks',
    ['id', 'release_id', 'slug', 'status', 'created_at', 'updated_at', 'clicks'],
    smartlinks.map((smartlink, index) => [
      at(ids, index),
      at(releaseIds, smartlink.release),
      smartlink.slug,
      smartlink.status,
      smartlink.createdAt,
      smartlink.createdAt,
      at(clicks, index).reduce((sum, day) => sum + day.clicks, 0),
    ]),
  );
  await copyRows(
    client,
    'smartlink_urls',
    ['smartlink_id', 'platform', 'url'],
    smartlinks.flatMap((smartlink, index) =>
      smartlink.urls.map(([platform, url]): CopyValue[] => [at(ids, index), platform, url]),
    ),
  );
  await copyRows(
    client,
    'smartlink_clicks',
    ['smartlink_id', 'day', 'platform', 'clicks'],
    clicks.flatMap((days, index) =>
      days.map((day): CopyValue[] => [at(ids, index), day.day, day.platform, day.clicks]),
    ),
  );
}

async function loadTickets(
  { client }: Target,
  block: DemoBlock,
  accountIds: readonly number[],
  trackIds: readonly number[][],
): Promise<void> {
  await copyRows(
    client,
    'tickets',
    [
      ...[
        'title',
        'status',
        'url',
        'start_seconds',
        'end_seconds',
        'is_claimed',
        'is_protected',
        'account_id',
        'track_id',
      ],
      ...['created_at', 'updated_at'],
    ],
    inventTickets(block).map((ticket) => [
      ticket.title,
      ticket.status,
      ticket.url,
      ticket.startSeconds,
      ticket.endSeconds,
      ticket.isClaimed,
      ticket.isProtected,
      at(accountIds, ticket.owner),
      at(at(trackIds, ticket.release), 0),
      ticket.createdAt,
      ticket.updatedAt,
    ]),
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
      UPDATE orders SET invoice_year = n.year, invoice_number = n.number FROM numbered n WHERE orders.id = n.id
    )
    INSERT INTO invoice_counters (year, last_number)
    SELECT year, max(number) FROM numbered GROUP BY year
    ON CONFLICT (year) DO UPDATE SET last_number = excluded.last_number`.execute(trx);
}
