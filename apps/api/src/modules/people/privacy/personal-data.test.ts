import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { createDatabase } from '#src/lib/db.ts';
import { useDatabase } from '#test/database.ts';
import { columnsOf, personalData } from './personal-data.ts';

const database = useDatabase();

async function columnsOfDatabase(): Promise<string[]> {
  const db = createDatabase(database.ownerUrl, { max: 1 });
  const { rows } = await sql<{ name: string }>`
    SELECT c.table_name || '.' || c.column_name AS name
      FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE' ORDER BY 1`.execute(db);
  await db.destroy();
  return rows.map(({ name }) => name);
}

it('classifies every column of the migrated database, and each one once', async () => {
  const classified = Object.entries(personalData).flatMap(([table, data]) =>
    columnsOf(data).map((column) => `${table}.${column}`),
  );
  expect(new Set(classified).size).toBe(classified.length);
  const present = await columnsOfDatabase();
  expect(
    present.filter((column) => !classified.includes(column)),
    'in no entity’s tables',
  ).toEqual([]);
  expect(
    classified.filter((column) => !present.includes(column)),
    'not in the database',
  ).toEqual([]);
});

it('exports every table that holds data about a subject, under a French name', () => {
  for (const [table, data] of Object.entries(personalData)) {
    const isDerived = (columns: object | undefined) => Object.values(columns ?? {}).every((how) => how === 'follow');
    if (!isDerived(data.account)) expect(data.of?.account, table).toBeDefined();
    if (!isDerived(data.admin)) expect(data.of?.admin, table).toBeDefined();
    expect(data.of !== undefined, table).toBe(data.says !== undefined);
  }
});
