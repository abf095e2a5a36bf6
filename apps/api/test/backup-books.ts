import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';

/** Runs SQL on a connection of its own. */
export async function runSql<Row extends Record<string, unknown>>(url: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** 3000 accounts and an adjustment of the first one, with two files. */
export async function fillBooks(url: string, filesDir: string): Promise<void> {
  await runSql(
    url,
    `insert into accounts (first_name, last_name, email, library_percentile, youtube_percentile)
     select 'Prénom ' || n, 'Nom', n || '@exemple.fr', 80, 80 from generate_series(1, 3000) n;
     with entry as (insert into ledger_transactions (kind, account_id, memo) values ('adjustment', 1, 'Avoir') returning id)
     insert into ledger_postings (transaction_id, account, currency, amount)
       select id, account, 'EUR', amount from entry, (values ('account:1', 12.345678), ('adjustment', -12.345678)) v(account, amount)`,
  );
  await mkdir(join(filesDir, 'covers'), { recursive: true });
  await writeFile(join(filesDir, 'covers', 'à.bin'), Buffer.alloc(700_000, 7));
  await writeFile(join(filesDir, 'empty'), '');
}

/** Row count and content sum of every table but that of backups: it records a backup after its snapshot. */
export async function contentOf(url: string): Promise<Record<string, string>> {
  const tables = await runSql<{ name: string }>(
    url,
    `select tablename as name from pg_tables
      where schemaname = 'public' and tablename not in ('migrations', 'backups')`,
  );
  const content: Record<string, string> = {};
  for (const { name } of tables) {
    const rows = await runSql<{ sum: string }>(
      url,
      `select count(*) || ' ' || coalesce(md5(string_agg(t::text, '' order by t::text)), '') as sum from ${name} t`,
    );
    content[name] = rows[0]?.sum ?? '';
  }
  return content;
}
