import { askedFieldsOf, type KnownContractField, printField } from '@regie/contract/custom-contracts.ts';
import { messages } from '@regie/contract/messages.ts';
import type { CustomContract, CustomContractForm } from '@regie/contract/routes/custom-contracts.ts';
import type { House } from '@regie/contract/settings.ts';
import { sql } from 'kysely';
import { writeAudit } from '#src/lib/audit.ts';
import { queryRow, type Trx } from '#src/lib/db.ts';
import { invalid, notFound, orNotFound } from '#src/lib/errors.ts';
import { keyset, type ListQuery, readPage } from '#src/lib/keyset.ts';
import type { Caller } from '#src/lib/route.ts';
import { accountsWith, hasEachWord, hasWords } from '#src/lib/text-search.ts';
import { toWireRow } from '#src/lib/wire-row.ts';
import { readSettings } from '#src/modules/people/settings/settings.service.ts';

interface ContractRow {
  id: number;
  kind: string;
  title: string;
  createdAt: Date;
  createdBy: string | null;
  accountId: number;
  firstName: string;
  lastName: string;
}
interface DocumentRow extends ContractRow {
  template: string;
  fieldValues: Record<string, string>;
}

const columns = sql`
  c.id, c.kind, c.title, c.created_at, d.first_name || ' ' || d.last_name AS created_by,
  a.id AS account_id, a.first_name, a.last_name`;
const joins = sql`JOIN accounts a ON a.id = c.account_id LEFT JOIN admins d ON d.id = c.created_by`;

const toContract = (row: ContractRow): CustomContract => ({
  ...toWireRow(row),
  Account: { id: row.accountId, fname: row.firstName, lname: row.lastName },
});

interface ListFilter extends ListQuery<'id'> {
  userId?: number | undefined;
}

export async function listCustomContracts(db: Trx, filter: ListFilter) {
  const page = keyset(filter, { id: { expression: sql`c.id`, type: 'bigint' } }, sql`c.id`);
  const conditions = [sql<boolean>`c.deleted_at IS NULL`];
  if (filter.userId !== undefined) conditions.push(sql<boolean>`c.account_id = ${filter.userId}`);
  if (filter.q) {
    const inNames = (word: string) => sql`${hasWords(sql`fold(c.title)`, word)} OR c.account_id IN ${accountsWith(word)}
      OR c.created_by IN (SELECT id FROM admins WHERE ${hasWords(sql`fold(first_name || ' ' || last_name)`, word)})`;
    conditions.push(hasEachWord(filter.q, inNames));
  }
  const { rows, meta } = await readPage<ContractRow>(db, page, {
    columns,
    from: sql`custom_contracts c`,
    row: 'c',
    where: conditions,
    joins,
  });
  return { data: rows.map(toContract), meta };
}

export async function getCustomContract(db: Trx, id: number) {
  const row = orNotFound(
    await queryRow<DocumentRow>(db)`
    SELECT ${columns}, c.template, c.field_values FROM custom_contracts c ${joins}
     WHERE c.id = ${id} AND c.deleted_at IS NULL`,
  );
  return { ...toContract(row), template: row.template, values: row.fieldValues };
}

const joined = (parts: readonly (string | null)[], separator: string) =>
  parts
    .map((part) => part?.trim() ?? '')
    .filter(Boolean)
    .join(separator);

const longDay = new Intl.DateTimeFormat('fr-FR', { dateStyle: 'long', timeZone: 'Europe/Paris' });

interface Party {
  company: string | null;
  firstName: string;
  lastName: string;
  email: string | null;
  address: string | null;
  address2: string | null;
  postcode: string | null;
  city: string | null;
  country: string | null;
}

export const knownValues = (house: House, party: Party, day: Date): Record<KnownContractField, string> => ({
  ...houseValues(house, day),
  client: party.company?.trim() || joined([party.firstName, party.lastName], ' '),
  client_adresse: joined(
    [party.address, party.address2, joined([party.postcode, party.city], ' '), party.country],
    ', ',
  ),
  client_email: party.email ?? '',
});

function houseValues(house: House, day: Date) {
  const { address, city } = house;
  return {
    maison: house.name,
    // A country alone is not an address.
    maison_adresse:
      address || city
        ? joined([address.replaceAll('\n', ', '), joined([house.postcode, city], ' '), house.country], ', ')
        : '',
    maison_siren: house.siren.replaceAll(/(\d{3})(?=\d)/g, '$1\u00a0'),
    maison_tva: house.vatNumber,
    maison_email: house.email,
    date: longDay.format(day),
  };
}

export async function listContractTemplates(db: Trx) {
  const { contractTemplates } = await readSettings(db);
  return Object.entries(contractTemplates).map(([kind, template]) => ({ kind, ...template }));
}

const findParty = (db: Trx, userId: number) =>
  db
    .selectFrom('accounts')
    .select(['company', 'firstName', 'lastName', 'email', 'address', 'address2', 'postcode', 'city', 'country'])
    .select(['libraryPercentile', 'youtubePercentile'])
    .where('id', '=', userId)
    .where('erasedAt', 'is', null)
    .executeTakeFirst();

/**
 * What the records give today; without an account, the house's values.
 * @throws validation_failed for an unknown account
 */
export async function readContractValues(db: Trx, userId: number | undefined): Promise<Record<string, string>> {
  const { house } = await readSettings(db);
  if (userId === undefined) return houseValues(house, new Date());
  const party = await findParty(db, userId);
  if (!party) throw invalid({ userId: messages.unknownAccount });
  const shares = sharesOf(party);
  return {
    ...knownValues(house, party, new Date()),
    part: printField('part', shares.part),
    part_video: printField('part_video', shares.part_video),
  };
}

const sharesOf = (party: { libraryPercentile: string | number; youtubePercentile: string | number }) => ({
  part: String(Number(party.libraryPercentile)),
  part_video: String(Number(party.youtubePercentile)),
});

/** Stores its text and the values of its fields today. @throws validation_failed for an unknown account or template */
export async function createCustomContract(trx: Trx, caller: Caller, form: CustomContractForm) {
  const party = await findParty(trx, form.userId);
  if (!party) throw invalid({ userId: messages.unknownAccount });
  const { house, contractTemplates } = await readSettings(trx);
  if (!Object.hasOwn(contractTemplates, form.kind)) throw invalid({ kind: messages.contractTemplateGone });
  // Missing shares default to the account's.
  const shares = sharesOf(party);
  const fields = {
    ...form.fields,
    part: form.fields.part || shares.part,
    part_video: form.fields.part_video || shares.part_video,
  };
  const asked = askedFieldsOf(form.template).map((name) => [name, printField(name, fields[name])]);
  const values: Record<string, string> = { ...knownValues(house, party, new Date()), ...Object.fromEntries(asked) };
  const { id } = await trx
    .insertInto('customContracts')
    .values({
      accountId: form.userId,
      kind: form.kind,
      title: form.title,
      template: form.template,
      fieldValues: JSON.stringify(values),
      createdBy: caller.adminId,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await writeAudit(trx, caller, {
    action: 'contract.create',
    entityId: id,
    after: { title: form.title, userId: form.userId },
  });
  return getCustomContract(trx, id);
}

export async function deleteCustomContract(trx: Trx, caller: Caller, id: number): Promise<{ id: number }> {
  const deleted = await queryRow<{ title: string; accountId: number }>(trx)`
    UPDATE custom_contracts SET deleted_at = ${new Date()}, deleted_by = ${caller.adminId}
     WHERE id = ${id} AND deleted_at IS NULL RETURNING title, account_id`;
  if (!deleted) throw notFound();
  await writeAudit(trx, caller, {
    action: 'contract.delete',
    entityId: id,
    before: { title: deleted.title, userId: deleted.accountId },
  });
  return { id };
}
