import { sql } from 'kysely';
import type { Database } from '#src/lib/db.ts';
import { postAdjustment } from '#src/modules/money/ledger/ledger.service.ts';
import { buildAccount } from './factories.ts';

/** A valid, distinct French IBAN per account. */
function frenchIban(account: number): string {
  const bban = `20041010050500013M${String(account).padStart(3, '0').slice(-3)}06`.padEnd(23, '0').slice(0, 23);
  const digits = [...`${bban}FR00`].map((character) => Number.parseInt(character, 36)).join('');
  let remainder = 0;
  for (const digit of digits) remainder = (remainder * 10 + Number(digit)) % 97;
  return `FR${String(98 - remainder).padStart(2, '0')}${bban}`;
}

let sequence = 0;

export async function buildBilling(
  db: Database,
  accountId: number,
  values: Partial<{
    type: 'bank' | 'paypal';
    email: string | null;
    owner: string;
    holderCity: string;
    holderCountry: string;
    bankCountry: string;
    iban: string | null;
    swift: string | null;
  }> = {},
): Promise<number> {
  sequence += 1;
  const isBank = (values.type ?? 'bank') === 'bank';
  const { id } = await db
    .insertInto('billingAccounts')
    .values({
      accountId,
      type: isBank ? 'bank' : 'paypal',
      email: isBank ? null : `paie${sequence}@exemple.fr`,
      owner: 'Awa Diallo',
      holderAddress: '12 rue de la Loge',
      holderCity: 'Marseille',
      holderCountry: 'France',
      holderPostcode: '13002',
      bankName: isBank ? 'Banque du Port' : null,
      bankCountry: isBank ? 'France' : null,
      bankAddress: isBank ? '1 quai du Port' : null,
      bankCity: isBank ? 'Marseille' : null,
      bankZipCode: isBank ? '13002' : null,
      iban: isBank ? frenchIban(sequence) : null,
      swift: isBank ? 'PSSTFRPPXXX' : null,
      ...values,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Adds EUR to an account's balance; negative subtracts. */
export async function credit(db: Database, accountId: number, amountEur: string): Promise<void> {
  await db
    .transaction()
    .execute((trx) => postAdjustment(trx, { accountId, amountEur, adminId: null, reason: 'essai' }));
}

export async function readBalance(db: Database, account: string): Promise<string> {
  const row = await db.selectFrom('ledgerBalances').select('amount').where('account', '=', account).executeTakeFirst();
  return row?.amount ?? '0.000000';
}

/** An account with a balance and bank details, both signed. */
export async function buildPayee(
  db: Database,
  balanceEur: string,
  values: Parameters<typeof buildBilling>[2] = {},
): Promise<{ accountId: number; billingId: number }> {
  const payee = await buildUnsignedPayee(db, balanceEur, values);
  await signMoney(db, payee.accountId, balanceEur);
  await signDetails(db, payee.billingId);
  return payee;
}

/** The same, without any signature. */
export async function buildUnsignedPayee(
  db: Database,
  balanceEur: string,
  values: Parameters<typeof buildBilling>[2] = {},
): Promise<{ accountId: number; billingId: number }> {
  const accountId = await buildAccount(db);
  if (Number(balanceEur) !== 0) await credit(db, accountId, balanceEur);
  return { accountId, billingId: await buildBilling(db, accountId, values) };
}

/** As if two signatures covered this much of an account's credits, EUR. */
export async function signMoney(db: Database, accountId: number, amountEur: string): Promise<void> {
  if (amountEur.startsWith('-')) return;
  await db.insertInto('signedParts').values({ accountId, subject: 'adjustment', subjectId: 0, amountEur }).execute();
}

/** As if two signatures covered these details. */
export async function signDetails(db: Database, billingId: number): Promise<void> {
  await sql`
    INSERT INTO signed_parts (account_id, subject, subject_id, destination)
    SELECT account_id, 'billing', id, destination_hash(type, iban, swift, email::text) FROM billing_accounts
     WHERE id = ${billingId}`.execute(db);
}

/** Backdates a change of the details by that admin to `hours` ago. */
export async function changeBilling(owner: Database, billingId: number, by: number, hours = 0): Promise<void> {
  await sql`
    UPDATE billing_accounts SET iban = ${frenchIban(billingId + 500)}, changed_by = ${by},
           changed_at = now() - make_interval(hours => ${hours}::int) WHERE id = ${billingId}`.execute(owner);
}
