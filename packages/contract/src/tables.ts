import type { AuditEntity } from './audit.ts';
import { accountTables } from './entities/account.ts';
import { adminTables } from './entities/admin.ts';
import { artistTables } from './entities/artist.ts';
import { billingAccountTables } from './entities/billing-account.ts';
import { codeEditTables } from './entities/code-edit.ts';
import { contractTables } from './entities/contract.ts';
import { exchangeRateTables } from './entities/exchange-rate.ts';
import { fileTables } from './entities/file.ts';
import { importsTables } from './entities/import.ts';
import { incomeItemTables } from './entities/income-item.ts';
import { invitationTables } from './entities/invitation.ts';
import { monthTables } from './entities/month.ts';
import { orderTables } from './entities/order.ts';
import { payoutTables } from './entities/payout.ts';
import { payoutBatchTables } from './entities/payout-batch.ts';
import { promoCodeTables } from './entities/promo-code.ts';
import { referralTables } from './entities/referral.ts';
import { releaseTables } from './entities/release.ts';
import { reportTables } from './entities/report.ts';
import { settingsTables } from './entities/settings.ts';
import { smartlinkTables } from './entities/smartlink.ts';
import { statementTables } from './entities/statement.ts';
import { statementPresetTables } from './entities/statement-preset.ts';
import { ticketTables } from './entities/ticket.ts';
import { trackTables } from './entities/track.ts';
import type { Columns, Table, Tables } from './entity.ts';

export const splitNames = (names = ''): string[] => names.split(/\s+/).filter(Boolean);

/** One key per column, and the default of `of`. */
function complete(table: Table): Table {
  const ids = splitNames(table.columns);
  const owned = ids.includes('account_id') ? { account: 't.account_id = $id' } : { admin: 't.admin_id = $id' };
  const split = (columns: Columns | undefined) =>
    columns &&
    Object.fromEntries(Object.entries(columns).flatMap(([names, how]) => splitNames(names).map((name) => [name, how])));
  return {
    ...table,
    of: table.of ?? (table.says === undefined ? undefined : owned),
    ...{ account: split(table.account), admin: split(table.admin) },
    ...{ third: split(table.third), secret: split(table.secret) },
  };
}
export const completeTables = (given: Tables): Tables =>
  Object.fromEntries(Object.entries(given).map(([name, table]) => [name, complete(table)]));

const entityTables: Readonly<Partial<Record<AuditEntity, Tables>>> = {
  ...{ admin: adminTables, invitation: invitationTables, exchange_rate: exchangeRateTables },
  ...{ import: importsTables, report: reportTables, month: monthTables, account: accountTables },
  ...{ referral: referralTables, billing_account: billingAccountTables, release: releaseTables },
  ...{ file: fileTables, track: trackTables, artist: artistTables, order: orderTables, settings: settingsTables },
  ...{ payout: payoutTables, payout_batch: payoutBatchTables, code_edit: codeEditTables },
  ...{ income_item: incomeItemTables, ticket: ticketTables, contract: contractTables },
  ...{ promo_code: promoCodeTables, smartlink: smartlinkTables, statement: statementTables },
  ...{ statement_preset: statementPresetTables },
};

/** The tables of all entities. */
export const tables = completeTables(Object.assign({}, ...Object.values(entityTables)));

/** The table of each kind's records, for kinds that have one. */
export const recordTables = (Object.entries(entityTables) as [AuditEntity, Tables][]).flatMap(([kind, own]) =>
  Object.keys(own).flatMap((table) => {
    const { record, of } = tables[table] ?? {};
    return record ? [{ ...record, kind, table, ofAccount: record.ofAccount ?? of?.account }] : [];
  }),
);
