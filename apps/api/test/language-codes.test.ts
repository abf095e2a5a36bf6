import { readFile } from 'node:fs/promises';
import { languageName, languageNames } from '@regie/contract/languages.ts';
import pg from 'pg';
import { expect, it } from 'vitest';
import { useDatabase } from './database.ts';

const database = useDatabase();
const migration = new URL('../migrations/095_language_codes.sql', import.meta.url);

it('turns stored names of languages, and codes written like names, into codes; the rest stays', async () => {
  const client = new pg.Client({ connectionString: database.ownerUrl });
  await client.connect();
  try {
    const stored = [...languageNames(), 'Kab', 'Zgh', 'WOLOF', 'Fr', 'Créole', 'French'];
    await client.query('BEGIN');
    const { rows: accounts } = await client.query<{ id: string }>(
      "INSERT INTO accounts (first_name, last_name, country, library_percentile, youtube_percentile) VALUES ('Ana', 'Diallo', 'FR', 80, 80) RETURNING id",
    );
    for (const language of stored) {
      await client.query(
        `WITH release AS (INSERT INTO releases (account_id, title, status, language) VALUES ($1, $2, 'delivered', $2)
                            RETURNING id, account_id)
         INSERT INTO tracks (release_id, account_id, position, title, language) SELECT id, account_id, 1, $2, $2 FROM release`,
        [accounts[0]?.id, language],
      );
    }
    await client.query(await readFile(migration, 'utf8'));
    for (const table of ['releases', 'tracks']) {
      const { rows } = await client.query<{ title: string; language: string }>(`SELECT title, language FROM ${table}`);
      const codes = new Map(rows.map(({ title, language }) => [title, language]));
      for (const name of languageNames()) expect([name, languageName(codes.get(name) ?? '')]).toEqual([name, name]);
      expect(['Kabyle', 'Kab', 'Zgh', 'WOLOF', 'Fr', 'Instrumental'].map((text) => codes.get(text))).toEqual([
        'kab',
        'kab',
        'zgh',
        'wo',
        'fr',
        'zxx',
      ]);
      expect(['Créole', 'French'].map((text) => codes.get(text))).toEqual(['Créole', 'French']);
    }
  } finally {
    await client.end();
  }
});
