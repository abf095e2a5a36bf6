import type { Entity, Tables } from '#src/entity.ts';
import { common } from './common.ts';

export const invitation = {
  label: 'Invitation',
  link: () => ({ to: '/accounts/manage-admins' }),
  actions: { 'admin.invite': 'Invitation envoyée', 'admin.cancel_invitation': 'Invitation retirée' },
  personal: { email: common.email },
} as const satisfies Entity;

export const invitationTables: Tables = {
  invitations: {
    record: {
      name: 't.email::text',
      isGone: 't.used_at IS NOT NULL OR t.withdrawn_at IS NOT NULL OR t.expires_at < now()',
    },
    says: 'Invitation',
    of: { admin: '(t.used_by = $id OR t.email = (SELECT a.email FROM admins a WHERE a.id = $id))' },
    columns: 'id capabilities expires_at used_at withdrawn_at created_at delivery_failed_at invited_by used_by',
    admin: { email: 'delete' },
    secret: { token_hash: 'delete' },
  },
};
