import { account, accountTables } from './entities/account.ts';
import { admin, adminTables, signIns } from './entities/admin.ts';
import { artist, artistTables } from './entities/artist.ts';
import { billingAccount, billingAccountTables } from './entities/billing-account.ts';
import { codeEdit, codeEditTables } from './entities/code-edit.ts';
import { common } from './entities/common.ts';
import { contract, contractTables } from './entities/contract.ts';
import { exchangeRate, exchangeRateTables } from './entities/exchange-rate.ts';
import { file, fileTables } from './entities/file.ts';
import { imports, importsTables } from './entities/import.ts';
import { incomeItem, incomeItemTables } from './entities/income-item.ts';
import { invitation, invitationTables } from './entities/invitation.ts';
import { job } from './entities/job.ts';
import { mail } from './entities/mail.ts';
import { month, monthTables } from './entities/month.ts';
import { order, orderTables } from './entities/order.ts';
import { payout, payoutTables } from './entities/payout.ts';
import { payoutBatch, payoutBatchTables } from './entities/payout-batch.ts';
import { promoCode, promoCodeTables } from './entities/promo-code.ts';
import { referral, referralTables } from './entities/referral.ts';
import { release, releaseTables } from './entities/release.ts';
import { report, reportTables } from './entities/report.ts';
import { royaltyRun, royaltyRunTables } from './entities/royalty-run.ts';
import { settings, settingsTables } from './entities/settings.ts';
import { smartlink, smartlinkTables } from './entities/smartlink.ts';
import { statement, statementTables } from './entities/statement.ts';
import { statementPreset, statementPresetTables } from './entities/statement-preset.ts';
import { ticket, ticketTables } from './entities/ticket.ts';
import { track, trackTables } from './entities/track.ts';
import type { AuditField, Entity, Tables } from './entity.ts';
import { keysOf, mapKeys, z } from './zod.ts';

const declared = {
  ...{ admin, invitation, job, mail, exchange_rate: exchangeRate, import: imports, report, month, account },
  ...{ referral, billing_account: billingAccount, release, file, track, artist, order, settings, payout },
  ...{ payout_batch: payoutBatch, code_edit: codeEdit, income_item: incomeItem, ticket, contract },
  ...{ promo_code: promoCode, smartlink, statement, statement_preset: statementPreset },
  ...{ royalty_run: royaltyRun },
} as const satisfies Record<string, Entity>;

export const entityTables: Readonly<Partial<Record<AuditEntity, Tables>>> = {
  ...{ admin: adminTables, invitation: invitationTables, exchange_rate: exchangeRateTables },
  ...{ import: importsTables, report: reportTables, month: monthTables, account: accountTables },
  ...{ referral: referralTables, billing_account: billingAccountTables, release: releaseTables },
  ...{ file: fileTables, track: trackTables, artist: artistTables, order: orderTables, settings: settingsTables },
  ...{ payout: payoutTables, payout_batch: payoutBatchTables, code_edit: codeEditTables },
  ...{ income_item: incomeItemTables, ticket: ticketTables, contract: contractTables },
  ...{ promo_code: promoCodeTables, smartlink: smartlinkTables, statement: statementTables },
  ...{ statement_preset: statementPresetTables, royalty_run: royaltyRunTables },
};

type Entities = typeof declared;
export type AuditEntity = keyof Entities;
export type AuditAction = { [Kind in AuditEntity]: keyof Entities[Kind]['actions'] }[AuditEntity];
export const entities: Readonly<Record<AuditEntity, Entity>> = declared;
const kinds = Object.entries(entities) as [AuditEntity, Entity][];

export const auditEntityNames = mapKeys(keysOf(declared), (kind) => declared[kind].label);
export const auditActionNames = Object.assign({}, ...kinds.map(([, { actions }]) => actions)) as Record<
  AuditAction,
  string
>;
export const AuditAction = z.enum(Object.keys(auditActionNames) as AuditAction[]);
export const AuditEntity = z.enum(keysOf(declared));

export const auditActions = Object.fromEntries(
  kinds.flatMap(([kind, { actions }]) => Object.keys(actions).map((action) => [action, kind])),
) as Record<AuditAction, AuditEntity>;

export const accountEntities = kinds.flatMap(([kind, { isOfAccount }]) => (isOfAccount ? [kind] : []));

/** Sign-ins and sign-outs: journal lists omit them by default. */
export const signInActions = Object.keys(signIns) as AuditAction[];

export const allTerritoriesName = 'monde entier';

const fieldsOf = ({ fields, personal }: Entity) => Object.entries({ ...fields, ...personal });
const fieldsByKind = mapKeys(keysOf(declared), (kind) => new Map(fieldsOf(entities[kind])));
const byName = Map.groupBy(
  kinds.flatMap(([, entity]) => fieldsOf(entity)),
  ([name]) => name,
);
/** The rows of entries of other kinds, by names that have one row. */
const sharedFields = new Map<string, AuditField>([
  ...[...byName.values()].flatMap((rows) => (rows.every(([, row]) => row === rows[0]?.[1]) ? rows : [])),
  ...Object.entries(common),
]);
export const auditFieldNames = new Set(
  [...byName.keys(), ...sharedFields.keys()].map((name) => name.replace(/^.*:/, '')),
);

/** The row of a field of an entry, by its path (`prices.album`); undefined when there is none. */
export function findAuditField(action: AuditAction, path: string): AuditField | undefined {
  // Custom contract templates have names chosen by staff.
  const name = path.replace(/^contractTemplates\.[^.]+\./, 'contractTemplates.');
  const fields = fieldsByKind[auditActions[action]];
  return fields.get(`${action}:${name}`) ?? fields.get(name) ?? sharedFields.get(name);
}

export const kindOf = ([holds]: AuditField): AuditEntity | undefined =>
  typeof holds === 'string' && holds.startsWith('#') ? AuditEntity.parse(holds.slice(1)) : undefined;

/** The fields that erasure redacts in entries about records of this kind. */
export const personalFields = (kind: AuditEntity): string[] => Object.keys(entities[kind].personal ?? {});

/** The fields of a record's state by path: nested objects are flattened, lists are kept whole. */
export function flattenFields(fields: Record<string, unknown> | null, prefix = ''): Map<string, unknown> {
  const flat = new Map<string, unknown>();
  for (const [key, value] of Object.entries(fields ?? {})) {
    const path = prefix + key;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) flat.set(path, value);
    else for (const [inner, leaf] of flattenFields(value as Record<string, unknown>, `${path}.`)) flat.set(inner, leaf);
  }
  return flat;
}
