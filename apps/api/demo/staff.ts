import { capabilityNames } from '@regie/contract/capabilities.ts';
import type { Trx } from '#src/lib/db.ts';
import { hashPassword } from '#src/lib/passwords.ts';
import { newToken } from '#src/lib/secrets.ts';

const reportsEmail = 'rapports@regie.example';
const accountsEmail = 'comptes@regie.example';
const paying = /_payout$|_coupon$|^(manage_profiles|read_unpaid_accounts|read_subscriptions)$/;

const demoAdmins = [
  {
    ...{ firstName: 'Léa', lastName: 'Fontenay', email: reportsEmail, createdAt: '2024-09-02T08:05:00Z' },
    capabilities: /_reports$|_stats$/,
    isSignatory: false,
  },
  {
    ...{ firstName: 'Hovig', lastName: 'Aslanian', email: accountsEmail, createdAt: '2024-09-02T08:20:00Z' },
    capabilities: paying,
    isSignatory: true,
  },
  {
    ...{ firstName: 'Awa', lastName: 'Diatta', email: 'production@regie.example', createdAt: '2024-09-16T07:45:00Z' },
    capabilities: /_(libraries|smartlink|tools)$/,
    isSignatory: false,
  },
  {
    ...{ firstName: 'Julien', lastName: 'Delmas', email: 'lecture@regie.example', createdAt: '2025-01-13T09:30:00Z' },
    capabilities: /^read_/,
    isSignatory: true,
  },
];

export interface DemoStaff {
  reportsAdminId: number | null;
  accountsAdminId: number | null;
  signatoryIds: number[];
}

/** Adds the demo's staff with random passwords; a reset link sets a known one. */
export async function addStaff(trx: Trx): Promise<DemoStaff> {
  for (const { capabilities, isSignatory, ...admin } of demoAdmins) {
    const { id } = await trx
      .insertInto('admins')
      .values({ ...admin, passwordHash: await hashPassword(newToken()) })
      .returning('id')
      .executeTakeFirstOrThrow();
    await trx
      .insertInto('adminCapabilities')
      .values(capabilityNames.flatMap((name) => (capabilities.test(name) ? [{ adminId: id, capability: name }] : [])))
      .execute();
    if (isSignatory) {
      await trx.insertInto('signatories').values({ adminId: id, addedAt: admin.createdAt }).execute();
    }
  }
  return findStaff(trx);
}

/** The demo's current staff; null for deleted admins. */
export async function findStaff(trx: Trx): Promise<DemoStaff> {
  const rows = await trx
    .selectFrom('admins')
    .select(['id', 'email'])
    .where(
      'email',
      'in',
      demoAdmins.map((admin) => admin.email),
    )
    .where('deletedAt', 'is', null)
    .execute();
  const idOf = (email: string) => rows.find((row) => row.email === email)?.id ?? null;
  const signatories = await trx.selectFrom('signatories').select('adminId').where('removedAt', 'is', null).execute();
  return {
    reportsAdminId: idOf(reportsEmail),
    accountsAdminId: idOf(accountsEmail),
    signatoryIds: signatories.map(({ adminId }) => adminId).filter((id) => rows.some((row) => row.id === id)),
  };
}
