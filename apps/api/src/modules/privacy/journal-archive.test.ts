import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { type AuditAction, type AuditEntity, auditActions } from '@regie/contract/audit.ts';
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { sealChain } from '#src/modules/ledger/chain.service.ts';
import { verifyLedger } from '#src/modules/ledger/ledger.verify.service.ts';
import { useApp } from '#test/app.ts';
import { killBlocked, untilBlocked } from '#test/blocked.ts';
import { archiveJournal, entitiesOfRules, listArchives, restoreJournal } from './journal-archive.service.ts';

const app = useApp();
/** In the partition of all years before, and in one of its own. */
const years = [2021, 2022];

beforeAll(async () => {
  // Years to come have partitions of their own; today none of the past has.
  await sql`
    DO $$
    DECLARE
      first text := (SELECT relname FROM pg_class WHERE relname ~ '^audit_log_before_[0-9]+$');
    BEGIN
      EXECUTE format('ALTER TABLE audit_log DETACH PARTITION %I', first);
      EXECUTE format('ALTER TABLE audit_log ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', first, year_start(2022));
      PERFORM make_partition('audit_log', 2022);
    END $$`.execute(app.owner);
});

const add = async (
  year: number,
  action: AuditAction,
  states: { before?: object; after?: object; address?: string } = {},
) => {
  const { rows } = await sql<{ id: number }>`
    INSERT INTO audit_log (at, action, entity, entity_id, before, after, address)
    VALUES (${`${year}-06-01 12:00:00.123456Z`}, ${action}, ${auditActions[action]}, '7', ${JSON.stringify(states.before ?? null)}::text::jsonb,
            ${JSON.stringify(states.after ?? {})}::jsonb, ${states.address ?? null}) RETURNING id`.execute(app.owner);
  await sql`UPDATE audit_log SET before = NULL WHERE id = ${rows[0]?.id} AND before = 'null'`.execute(app.owner);
  return rows[0]?.id ?? 0;
};
/** What would differ if anything of an entry was lost. */
const entriesOf = async (year: number) =>
  (
    await sql<{ id: number; text: string }>`
      SELECT id, l::text AS text FROM audit_log l WHERE at >= year_start(${year}::integer) AND at < year_start(${year + 1}::integer) ORDER BY id`.execute(
      app.owner,
    )
  ).rows;
const idsOf = async (year: number) => (await entriesOf(year)).map(({ id }) => id);
const verify = () => verifyLedger(app.owner, app.deps.lines);
const archive = (year: number) => archiveJournal(app.owner, app.deps.lines.storage, year);
const restore = (year: number) => restoreJournal(app.owner, app.deps.lines.storage, year);
const fileOf = async (year: number) => {
  const { rows } = await sql<{ key: string }>`
    SELECT f.storage_key AS key FROM journal_archives a JOIN files f ON f.id = a.file_id WHERE a.year = ${year}`.execute(
    app.owner,
  );
  return rows[0]?.key ?? '';
};

let leaving: Map<number, number[]>;
let staying: Map<number, number[]>;

beforeEach(async () => {
  leaving = new Map();
  staying = new Map();
  for (const { year } of await listArchives(app.owner)) await restore(year);
  await app.owner.transaction().execute(async (trx) => {
    await sql`SET LOCAL session_replication_role = replica`.execute(trx);
    await sql`DELETE FROM audit_log WHERE at < year_start(2023)`.execute(trx);
    await sql`TRUNCATE chain_links, journal_redactions`.execute(trx);
    await sql`UPDATE chain_marks SET sealed_below = 1`.execute(trx);
  });
  for (const year of years) {
    const sum = { after: { source: 'Élan\n"Nord"', rows: 12 } };
    const redacted = await add(year, 'statement.check', { ...sum, address: '192.0.2.1' });
    const older = await add(year, 'statement.uncheck', { address: '192.0.2.2' });
    await sql`UPDATE audit_log SET salt = NULL WHERE id = ${older}`.execute(app.owner);
    leaving.set(year, [
      redacted,
      older,
      await add(year, 'release.edit', { before: { barcode: '1' }, after: { barcode: '2' } }),
      await add(year, 'track.edit', { before: { title: 'A' }, after: { title: 'B', percentile: 1.5 } }),
      await add(year, 'statement.upload', sum),
    ]);
    staying.set(year, [
      await add(year, 'release.edit', { before: { note: 'x' }, after: { note: 'effacé' } }),
      await add(year, 'track.edit', { before: { isrc: 'FRABC2500001' }, after: { isrc: null } }),
      await add(year, 'track.take_isrc', { after: {} }),
      await add(year, 'account.edit', {
        before: { libraryIncomePercentile: 70 },
        after: { libraryIncomePercentile: 80 },
      }),
      await add(year, 'admin.edit', { after: { passwordChanged: true } }),
      await add(year, 'income_item.assign', { after: { trackId: 7 } }),
      await add(year, 'statement.remove', { address: '192.0.2.3' }),
    ]);
    await sealChain(app.owner);
    await sql`SELECT redact_journal(ARRAY[${redacted}, ${older}]::bigint[], '{}', true)`.execute(app.owner);
  }
  await sealChain(app.owner);
  expect(await verify()).toEqual([]);
});

it.each(years)(
  'takes out of %i what nothing needs, and puts it back as it was; the chain stays proven',
  async (year) => {
    const before = await entriesOf(year);
    expect(await archive(year)).toMatchObject({ entries: 5, kept: 7 });
    expect(await idsOf(year)).toEqual(staying.get(year));
    expect(await listArchives(app.owner)).toEqual([{ year, entries: 5 }]);
    expect(await verify()).toEqual([]);
    // The file is plain: one entry a line.
    const lines = zstdDecompressSync(await readFile(join(app.deps.lines.storage.folder ?? '', await fileOf(year))));
    const ids = lines
      .toString()
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: number }).id);
    expect(ids).toEqual(leaving.get(year));
    await expect(archive(year)).rejects.toThrow(`Le journal de ${year} est déjà archivé.`);
    // New entries of the year are taken in as before.
    const late = await add(year, 'admin.edit');
    expect(await idsOf(year)).toContain(late);
    await sql`DELETE FROM audit_log WHERE id = ${late}`.execute(app.owner);

    expect(await restore(year)).toBe(5);
    expect(await entriesOf(year)).toEqual(before);
    expect(await listArchives(app.owner)).toEqual([]);
    expect(await verify()).toEqual([]);
    await expect(restore(year)).rejects.toThrow(`Le journal de ${year} n’est pas archivé.`);
    expect(await archive(year)).toMatchObject({ entries: 5 });
    expect(await verify()).toEqual([]);
  },
);

it('refuses a year that is not long past, and one that has nothing to archive', async () => {
  const year = new Date().getFullYear();
  await expect(archive(year - 1)).rejects.toThrow(`Le journal s’archive jusqu’à ${year - 2}`);
  await expect(archive(2020)).rejects.toThrow('Rien à archiver de 2020');
});

it('names an archive that was changed or lost, and an entry that is not the sealed one', async () => {
  await archive(2022);
  const { storage } = app.deps.lines;
  const key = await fileOf(2022);
  const whole = await readFile(join(storage.folder ?? '', key));
  await storage.remove(key);
  expect(await verify()).toEqual([expect.stringContaining('the chain is broken: archive of 2022: no file in storage')]);
  const text = zstdDecompressSync(whole).toString().replace('"B"', '"C"');
  const { zstdCompressSync } = await import('node:zlib');
  const forged = zstdCompressSync(text);
  await storage.put(key, forged, forged.length);
  expect(await verify()).toEqual([expect.stringContaining('n’est plus celle qui a été écrite')]);
  await expect(restore(2022)).rejects.toThrow('n’est plus celle qui a été écrite');
  // Whoever also changes the stored hash is found by the chain.
  await sql`UPDATE files SET sha256 = sha256(${forged}::bytea) WHERE storage_key = ${key}`.execute(app.owner);
  expect(await verify()).toEqual([
    `the chain is broken: archive of 2022: journal entry ${leaving.get(2022)?.[3]} is not the sealed one`,
  ]);
  await storage.remove(key);
  await storage.put(key, whole, whole.length);
  await sql`UPDATE files SET sha256 = sha256(${whole}::bytea) WHERE storage_key = ${key}`.execute(app.owner);
  expect(await verify()).toEqual([]);
});

it.each(years)('killed in the middle of %i nothing is lost, and the next one works', async (year) => {
  const before = await entriesOf(year);
  const trx = await app.owner.startTransaction().execute();
  await sql`SELECT FROM audit_log WHERE id = ${leaving.get(year)?.[4]} FOR UPDATE`.execute(trx);
  const killed = expect(archive(year)).rejects.toThrow();
  await killBlocked(app.owner);
  await killed;
  await trx.rollback().execute();
  expect(await entriesOf(year)).toEqual(before);
  expect(await listArchives(app.owner)).toEqual([]);
  expect(await verify()).toEqual([]);
  expect(await archive(year)).toMatchObject({ entries: 5 });
});

it('an entry that is redacted meanwhile is not archived as it was', async () => {
  const trx = await app.owner.startTransaction().execute();
  const [, , , , last = 0] = leaving.get(2022) ?? [];
  await sql`SELECT redact_journal(ARRAY[${last}]::bigint[], '{source}', false)`.execute(trx);
  const late = expect(archive(2022)).rejects.toThrow('Le journal a changé pendant l’archivage');
  await untilBlocked(app.owner, 1);
  await trx.commit().execute();
  await late;
  expect(await listArchives(app.owner)).toEqual([]);
});

it('keeps what rules read: every action that a query asks for belongs to a record whose entries stay', async () => {
  const src = join(import.meta.dirname, '../..');
  const files = (await readdir(src, { recursive: true })).filter(
    (file) => /\.ts$/.test(file) && !/\.test\.ts$/.test(file),
  );
  const read = new Set<AuditAction>();
  for (const file of files) {
    const text = await readFile(join(src, file), 'utf8');
    for (const [, list = ''] of text.matchAll(/isAction\(([^)]*)\)/g)) {
      for (const [, action = ''] of list.matchAll(/'([a-z_.]+)'/g)) read.add(action as AuditAction);
    }
  }
  expect(read.size).toBeGreaterThan(10);
  const stays = (action: AuditAction) =>
    action === 'track.take_isrc' || (entitiesOfRules as readonly AuditEntity[]).includes(auditActions[action]);
  expect([...read].filter((action) => !stays(action))).toEqual([]);
});
