import { Button } from '@mantine/core';
import type { Invitation } from '@regie/contract/routes/staff.ts';
import { routes } from '@regie/contract/routes.ts';
import { useQuery } from '@tanstack/react-query';
import { api } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { formatDate } from '#src/lib/formats.ts';
import { useCan } from '#src/lib/session.ts';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { frAdmins } from './admins.fr.ts';
import classes from './admins.module.css';

/** Unused invitations; nothing is shown without any. */
export function PendingInvitations() {
  const can = useCan();
  const admins = useQuery({
    queryKey: ['invitations'],
    queryFn: ({ signal }) => api(routes.listAdmins, { query: { limit: 1 }, signal }),
  });
  const { subject: withdrawn, ask, dialog } = useAsked<Invitation>();
  const invitations = admins.data?.data.invitations ?? [];
  return (
    <>
      {invitations.length > 0 && (
        <section className={classes.pending}>
          <h2>{frAdmins.pendingTitle}</h2>
          <ul className={classes.invitations}>
            {invitations.map((invitation) => (
              <li key={invitation.id}>
                <div>
                  <strong className={classes.email}>{invitation.email}</strong>
                  {invitation.isUndelivered && <StatusBadge tone="warning">{frAdmins.undelivered}</StatusBadge>}
                  <p>
                    {frAdmins.invitedBy(invitation.invitedBy)} · {frAdmins.expires(formatDate(invitation.expiresAt))}
                  </p>
                </div>
                {can('edit_admins') && (
                  <Button
                    variant="default"
                    size="compact-sm"
                    aria-label={`${frAdmins.withdraw}\u00a0: ${invitation.email}`}
                    onClick={() => ask(invitation)}
                  >
                    {frAdmins.withdraw}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </section>
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
