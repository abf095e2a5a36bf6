import { Box, Group } from '@mantine/core';
import type { LeftAdmin } from '@regie/contract/routes/privacy.ts';
import type { Invitation } from '@regie/contract/routes/staff.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatDate } from '@regie/values/formats.ts';
import { useQuery } from '@tanstack/react-query';
import { ErasureModal } from '#src/domain/privacy/erasure-modal.tsx';
import { exportPersonalData } from '#src/domain/privacy/export-personal-data.ts';
import { frPrivacy } from '#src/domain/privacy/privacy.fr.ts';
import { api, apiQuery } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { SmallButton } from '#src/ui/small-button.tsx';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { frAdmins } from './admins.fr.ts';

export function PendingInvitations() {
  const can = useCan();
  const admins = useQuery(apiQuery(['invitations'], routes.listAdmins, { query: { limit: 1 } }));
  const { subject: withdrawn, ask, dialog } = useAsked<Invitation>();
  const invitations = admins.data?.invitations ?? [];
  return (
    <>
      {invitations.length > 0 && (
        <Box mt={36}>
          <Section title={frAdmins.pendingTitle}>
            <ul className={shared.rows}>
              {invitations.map((invitation) => (
                <li key={invitation.id}>
                  <div>
                    <strong className={shared.name}>{invitation.email}</strong>
                    {invitation.isUndelivered && <StatusBadge tone="warning">{frAdmins.undelivered}</StatusBadge>}
                    <span className={shared.under}>
                      {frAdmins.invitedBy(invitation.invitedBy)} · {frAdmins.expires(formatDate(invitation.expiresAt))}
                    </span>
                  </div>
                  {can('edit_admins') && (
                    <SmallButton
                      aria-label={`${frAdmins.withdraw}\u00a0: ${invitation.email}`}
                      onClick={() => ask(invitation)}
                    >
                      {frAdmins.withdraw}
                    </SmallButton>
                  )}
                </li>
              ))}
            </ul>
          </Section>
        </Box>
      )}
      {withdrawn && (
        <ConfirmModal
          {...dialog}
          name={withdrawn.email}
          consequence={frAdmins.withdrawConsequence}
          verb={frAdmins.withdraw}
          onConfirm={() => api(routes.cancelInvitation, { params: { id: withdrawn.id } })}
        />
      )}
    </>
  );
}

export function LeftAdmins() {
  const can = useCan();
  const left = useQuery({
    ...apiQuery(['left-admins'], routes.listLeftAdmins, { query: { limit: 100 } }),
    enabled: can('edit_admins'),
  });
  const { subject: erased, ask, dialog } = useAsked<LeftAdmin>();
  const admins = left.data ?? [];
  return (
    <>
      {admins.length > 0 && (
        <Box mt={36}>
          <Section title={frPrivacy.admin.leftTitle}>
            <Box component="p" mb={8} className={shared.note}>
              {frPrivacy.admin.leftText}
            </Box>
            <ul className={shared.rows}>
              {admins.map((admin) => (
                <li key={admin.id}>
                  <div>
                    <strong className={shared.name}>{leftName(admin)}</strong>
                    <span className={shared.under}>
                      {admin.email} · {frPrivacy.admin.left(formatDate(admin.deletedAt))}
                    </span>
                  </div>
                  <Group gap="xs">
                    <SmallButton
                      aria-label={`${frPrivacy.export}${fr.common.colon}${leftName(admin)}`}
                      onClick={() => void exportPersonalData(routes.exportAdmin, admin.id, leftName(admin))}
                    >
                      {frPrivacy.admin.exportShort}
                    </SmallButton>
                    <SmallButton
                      aria-label={`${frPrivacy.erase}${fr.common.colon}${leftName(admin)}`}
                      onClick={() => ask(admin)}
                    >
                      {frPrivacy.admin.eraseShort}
                    </SmallButton>
                  </Group>
                </li>
              ))}
            </ul>
          </Section>
        </Box>
      )}
      {erased && (
        <ErasureModal
          {...dialog}
          name={`${leftName(erased)} (${erased.email})`}
          consequence={frPrivacy.admin.consequence}
          erase={(reason, { idempotencyKey }) =>
            api(routes.eraseAdmin, { params: { id: erased.id }, body: { reason }, idempotencyKey })
          }
        />
      )}
    </>
  );
}

const leftName = (admin: LeftAdmin) => `${admin.fname} ${admin.lname}`;
