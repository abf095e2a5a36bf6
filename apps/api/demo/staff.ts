import { type Capability, capabilityNames } from '@regie/contract/capabilities.ts';
import type { Trx } from '#src/lib/db.ts';
import { hashPassword } from '#src/lib/passwords.ts';
import { newToken } from '#src/lib/secrets.ts';

interface DemoAdmin {
  role: 'reports' | 'accounts' | 'production' | 'reader';
  firstName: string;
  lastName: string;
  email: string;
  createdAt: string;
  capabilities: readonly Capability[];
  isSignatory?: true;
}

const readOnly = capabilityNames.filter((name) => name.startsWith('read_'));

const demoAdmins: readonly DemoAdmin[] = [
  {
    role: 'reports',
    firstName: 'Léa',
    lastName: 'Fontenay',
    email: 'rapports@regie.example',
    createdAt: '2024-09-02T08:05:00Z',
    capabilities: ['read_reports', 'edit_reports', 'read_platforms_stats', 'read_youtube_stats'],
  },
  {
    role: 'accounts',
    firstName: 'Hovig',
    lastName: 'Aslanian',
    email: 'comptes@regie.example',
    createdAt: '2024-09-02T08:20:00Z',
    isSignatory: true,
    capabilities: [
      'manage_profiles',
      'read_pending_payout',
      'edit_pending_payout',
      'read_paid_payout',
      'edit_paid_payout',
      'read_unpaid_accounts',
      'read_coupon',
      'edit_coupon',
      'read_subscriptions',
    ],
  },
  {
    role: 'production',
    firstName: 'Awa',
    lastName: 'Diatta',
    email: 'production@regie.example',
    createdAt: '2024-09-16T07:45:00Z',
    capabilities: [
      ...capabilityNames.filter((name) => name.endsWith('_libraries')),
      'read_smartlink',
      'edit_smartlink',
      'read_tools',
      'edit_tools',
    ],
  },
  {
    role: 'reader',
    firstName: 'Julien',
    lastName: 'Delmas',
    email: 'lecture@regie.example',
    createdAt: '2025-01-13T09:30:00Z',
    isSignatory: true,
    capabilities: readOnly,
  },
];

export interface DemoStaff {
  reportsAdminId: number | null;
  accountsAdminId: number | null;
  signatoryIds: number[];
}

/** Adds the demo's staff with random passwords; a reset link sets a known one. */
export async function addStaff(trx: Trx): Promise<DemoStaff> {
  for (const admin of demoAdmins) {
    const { id } = await trx
      .insertInto('admins')
      .values({
        firstName: admin.firstName,
        lastName: admin.lastName,
        email: admin.email,
        passwordHash: await hashPassword(newToken()),
        createdAt: admin.createdAt,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await trx
      .insertInto('adminCapabilities')
      .values(admin.capabilities.map((capability) => ({ adminId: id, capability })))
      .execute();
    if (admin.isSignatory) {
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
  const idOf = (role: DemoAdmin['role']) => {
    const email = demoAdmins.find((admin) => admin.role === role)?.email;
    return rows.find((row) => row.email === email)?.id ?? null;
  };
  const signatories = await trx.selectFrom('signatories').select('adminId').where('removedAt', 'is', null).execute();
  return {
    reportsAdminId: idOf('reports'),
    accountsAdminId: idOf('accounts'),
    signatoryIds: signatories.map(({ adminId }) => adminId).filter((id) => rows.some((row) => row.id === id)),
  };
}
