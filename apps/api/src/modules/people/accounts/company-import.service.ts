import { type WithIgnored, warnIgnored } from '@regie/contract/columns.ts';
import { findCompanyFaults } from '@regie/contract/companies.ts';
import { account as entity } from '@regie/contract/entities/account.ts';
import { messages } from '@regie/contract/messages.ts';
import { CompanyNumbers, type CompanyRow } from '@regie/contract/routes/accounts.ts';
import { vatRegimes } from '@regie/contract/state-names.ts';
import { keysOf, mapKeys } from '@regie/contract/zod.ts';
import { findNumber, foldName } from '@regie/values/search-text.ts';
import { writeAudits } from '#src/lib/audit.ts';
import type { Trx } from '#src/lib/db.ts';
import { invalid } from '#src/lib/errors.ts';
import type { Caller } from '#src/lib/route.ts';
import * as queries from './accounts.queries.ts';
import { toFields } from './accounts.service.ts';

const fields = ['siren', 'electronicAddress', 'tax', 'vatRegime'] as const;
const foldEmail = (email: string | null) => email?.toLowerCase();
const squash = (text: string) => text.replaceAll(/\s/g, '').toUpperCase();
const labels = { ...entity.fields, ...entity.personal };

/** The values that the row fills, or why it is refused. @param earlier the row that names the same account */
function judgeRow(row: CompanyRow, [account, other]: readonly queries.StoredAccount[], earlier: number | undefined) {
  if (!account) return messages.importNoAccount;
  if (other) return messages.importManyAccounts;
  if (row.email !== '' && foldEmail(row.email) !== foldEmail(account.email)) return messages.importOtherEmail;
  if (earlier !== undefined) return messages.importTwice(`Le compte ${account.id}`, earlier);
  const regime = keysOf(vatRegimes).find((key) => foldName(vatRegimes[key]) === foldName(row.vatRegime));
  const read = CompanyNumbers.safeParse({ ...row, vatRegime: regime ?? row.vatRegime });
  if (!read.success) return read.error.issues.map(({ message }) => message).join('. ');
  const present = toFields(account);
  const given = fields.filter((field) => read.data[field]);
  const others = given.filter((field) => present[field] && squash(present[field]) !== squash(read.data[field] ?? ''));
  const shown = { ...present, vatRegime: present.vatRegime && vatRegimes[present.vatRegime] };
  if (others.length > 0) return messages.importDiffers(others.map((field) => `${labels[field][1]} ${shown[field]}`));
  const filled = mapKeys(fields, (field) => read.data[field] || present[field]);
  const [fault] = Object.values(findCompanyFaults(filled));
  if (fault !== undefined) return fault;
  const empty = given.filter((field) => !present[field]);
  return { id: account.id, ...Object.fromEntries(empty.map((field) => [field, read.data[field]])) };
}

/**
 * Fills company numbers that are empty.
 * @throws validation_failed with the refused rows (`3`, from 0): all rows are written or none
 */
export async function importCompanies(
  trx: Trx,
  caller: Caller,
  rows: readonly WithIgnored<CompanyRow>[],
  isDryRun: boolean,
) {
  const warnings = warnIgnored(rows);
  const ids = rows.map(({ account }) => findNumber(account, 'account') ?? 0);
  const emails = rows.map(({ email }) => email);
  const accounts = await queries.lockNamedAccounts(trx, ids, emails);
  const byId = Map.groupBy(accounts, ({ id }) => id);
  const byEmail = Map.groupBy(accounts, ({ email }) => foldEmail(email));
  const refused: { row: number; message: string }[] = [];
  const companies: (CompanyNumbers & { id: number })[] = [];
  const earlier = new Map<number | undefined, number>();
  for (const [index, row] of rows.entries()) {
    const named = (row.account ? byId.get(ids[index] ?? 0) : byEmail.get(foldEmail(row.email))) ?? [];
    const judged = judgeRow(row, named, earlier.get(named[0]?.id));
    if (named.length === 1) earlier.set(named[0]?.id, index + 1);
    if (typeof judged === 'string') refused.push({ row: index + 1, message: judged });
    else if (Object.keys(judged).length > 1) companies.push(judged);
  }
  const completed = companies.length;
  const data = { completed, unchanged: rows.length - completed - refused.length, refused };
  if (isDryRun) return { data, warnings, message: '' };
  if (refused.length > 0) {
    const errors = Object.fromEntries(refused.map(({ row, message }) => [row - 1, message]));
    throw invalid({ ...errors, global: messages.importRefused(refused.length) }, warnings);
  }
  await queries.fillCompanies(trx, companies);
  await writeAudits(
    trx,
    caller,
    companies.map(({ id, ...after }) => ({
      ...{ action: 'account.edit', entityId: id, after },
      before: Object.fromEntries(Object.keys(after).map((field) => [field, null])),
    })),
  );
  return { data, warnings };
}
