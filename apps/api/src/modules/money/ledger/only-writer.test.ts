import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../../..');
const sources = globSync('{src,demo}/**/*.ts', { cwd: root })
  .filter((path) => !path.endsWith('.test.ts') && !path.endsWith('.generated.ts'))
  .map((path) => ({ path, text: readFileSync(resolve(root, path), 'utf8') }));
const filesWith = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

/** Statements that write one of these tables, in SQL or with Kysely. */
const writesTo = (tables: string) => {
  const camelCase = tables.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return new RegExp(
    `(INSERT\\s+INTO|UPDATE|DELETE\\s+FROM|MERGE\\s+INTO|COPY)\\s+(${tables})\\b|(insertInto|updateTable|deleteFrom|mergeInto)\\('(${camelCase})\\b`,
    'i',
  );
};

it('only the ledger writes postings and balances; only it and the verification name its accounts', () => {
  expect(filesWith(writesTo('ledger_transactions|ledger_postings|ledger_balances|ledger_months'))).toEqual([
    'src/modules/money/ledger/ledger.service.ts',
  ]);
  const names = filesWith(/['"`](account|payout):(['"`%]|\$\{)/);
  expect(names.filter((path) => !/^src\/modules\/(money\/ledger|platform\/verify)\//.test(path))).toEqual([]);
  expect(names).not.toEqual([]);
});

it('only writeAudits writes to the journal', () => {
  expect(filesWith(writesTo('audit_log')).filter((path) => path.startsWith('src/'))).toEqual(['src/lib/audit.ts']);
});
