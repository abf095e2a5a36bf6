import { sql } from 'kysely';
import type { Database } from '#src/lib/db.ts';

let sequence = 0;
const next = () => {
  sequence += 1;
  return sequence;
};

/** Inserts an admin who cannot sign in. */
export async function buildActor(db: Database): Promise<{ adminId: number; requestId: null }> {
  const { id } = await db
    .insertInto('admins')
    .values({ firstName: 'Test', lastName: 'Essai', email: `acteur-${next()}@exemple.fr`, passwordHash: 'none' })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { adminId: id, requestId: null };
}

export async function buildAccount(
  db: Database,
  values: { libraryPercentile?: string; youtubePercentile?: string; firstName?: string; lastName?: string } = {},
): Promise<number> {
  const { id } = await db
    .insertInto('accounts')
    .values({
      firstName: 'Awa',
      lastName: `Diallo ${next()}`,
      libraryPercentile: '80',
      youtubePercentile: '70',
      ...values,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function buildRelease(db: Database, accountId: number, status = 'delivered'): Promise<number> {
  const { id } = await db
    .insertInto('releases')
    .values({ accountId, title: `Sortie ${next()}`, status })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** A track, on a new release by default. */
export async function buildTrack(
  db: Database,
  accountId: number,
  values: { isrc?: string | null; releaseId?: number; title?: string } = {},
): Promise<{ id: number; isrc: string }> {
  const isrc = values.isrc === undefined ? `FRTST${String(next()).padStart(7, '0')}` : values.isrc;
  const releaseId = values.releaseId ?? (await buildRelease(db, accountId));
  const { id } = await db
    .insertInto('tracks')
    .values({ releaseId, accountId, position: 1, title: values.title ?? `Titre ${next()}`, isrc })
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id, isrc: isrc ?? '' };
}

export async function buildReferral(
  db: Database,
  values: { referrerId: number; referredId: number; percentile: string },
): Promise<number> {
  const { id } = await db.insertInto('referrals').values(values).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Sets the units of a currency per euro, from the month `yyyy-mm` on. */
export async function setRate(db: Database, currency: string, month: string, rate: string | number): Promise<void> {
  await sql`
    SELECT set_exchange_rates(ARRAY[${`${month}-01`}]::date[], ARRAY[${currency}], ARRAY[${rate}]::numeric[], NULL)`.execute(
    db,
  );
}
