import { account } from './entities/account.ts';
import { admin, signIns } from './entities/admin.ts';
import { artist } from './entities/artist.ts';
import { billingAccount } from './entities/billing-account.ts';
import { codeEdit } from './entities/code-edit.ts';
import { common } from './entities/common.ts';
import { contract } from './entities/contract.ts';
import { exchangeRate } from './entities/exchange-rate.ts';
import { file } from './entities/file.ts';
import { imports } from './entities/import.ts';
import { incomeItem } from './entities/income-item.ts';
import { invitation } from './entities/invitation.ts';
import { job } from './entities/job.ts';
import { mail } from './entities/mail.ts';
import { month } from './entities/month.ts';
import { order } from './entities/order.ts';
import { payout } from './entities/payout.ts';
import { payoutBatch } from './entities/payout-batch.ts';
import { promoCode } from './entities/promo-code.ts';
import { referral } from './entities/referral.ts';
import { release } from './entities/release.ts';
import { report } from './entities/report.ts';
import { settings } from './entities/settings.ts';
import { smartlink } from './entities/smartlink.ts';
import { statement } from './entities/statement.ts';
import { statementPreset } from './entities/statement-preset.ts';
import { ticket } from './entities/ticket.ts';
import { track } from './entities/track.ts';
import type { AuditField, Entity } from './entity.ts';
import { z } from './zod.ts';

/** The kinds of records of the journal. */
const declared = {
  ...{ admin, invitation, job, mail, exchange_rate: exchangeRate, import: imports, report, month, account },
  ...{ referral, billing_account: billingAccount, release, file, track, artist, order, settings, payout },
  ...{ payout_batch: payoutBatch, code_edit: codeEdit, income_item: incomeItem, ticket, contract },
  ...{ promo_code: promoCode, smartlink, statement, statement_preset: statementPreset },
} as const satisfies Record<string, Entity>;

type Entities = typeof declared;
export type AuditEntity = keyof Entities;
export type AuditAction = { [Kind in AuditEntity]: keyof Entities[Kind]['actions'] }[AuditEntity];
export const entities: Readonly<Record<AuditEntity, Entity>> = declared;
const kinds = Object.entries(entities) as [AuditEntity, Entity][];

/** French names of the journal's records and actions. The journal shows them, and the server searches them. */
export const auditEntityNames = Object.fromEntries(kinds.map(([kind, { label }]) => [kind, label])) as Record<
  AuditEntity,
  string
>;
export const auditActionNames = Object.assign({}, ...kinds.map(([, { actions }]) => actions)) as Record<
  AuditAction,
  string
>;
export const AuditAction = z.enum(Object.keys(auditActionNames) as AuditAction[]);
export const AuditEntity = z.enum(kinds.map(([kind]) => kind));

/** Every journal action, with the kind of record it is about. */
export const auditActions = Object.fromEntries(
  kinds.flatMap(([kind, { actions }]) => Object.keys(actions).map((action) => [action, kind])),
) as Record<AuditAction, AuditEntity>;

/** The kinds of records whose acts are in the journal of an account: itself, and what belongs to it. */
export const accountEntities = kinds.flatMap(([kind, { isOfAccount }]) => (isOfAccount ? [kind] : []));

/** Sign-ins and sign-outs: journal lists omit them by default. */
export const signInActions = Object.keys(signIns) as AuditAction[];

export const allTerritoriesName = 'monde entier';

const fieldsOf = ({ fields, personal }: Entity) => Object.entries({ ...fields, ...personal });
const fieldsByKind = Object.fromEntries(kinds.map(([kind, entity]) => [kind, new Map(fieldsOf(entity))])) as Record<
  AuditEntity,
  Map<string, AuditField>
>;
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
  const own = fieldsByKind[auditActions[action]];
  return own.get(`${action}:${name}`) ?? own.get(name) ?? sharedFields.get(name);
}

/** The kind of record whose numbers a field holds. */
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
