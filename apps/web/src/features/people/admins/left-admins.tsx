import { Box, Button, Group } from '@mantine/core';
import type { LeftAdmin } from '@regie/contract/routes/privacy.ts';
import { routes } from '@regie/contract/routes.ts';
import { useQuery } from '@tanstack/react-query';
import { ErasureModal } from '#src/domain/privacy/erasure-modal.tsx';
import { exportPersonalData } from '#src/domain/privacy/export-personal-data.ts';
import { frPrivacy } from '#src/domain/privacy/privacy.fr.ts';
import { api, apiQuery } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { formatDate } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import shared from '#src/ui/shared.module.css';
import classes from './admins.module.css';

const t = frPrivacy.admin;
const shown = 100;

/** Deleted admins whose personal data is still stored; nothing is shown without any. */
export function LeftAdmins() {
  const can = useCan();
  const left = useQuery({
    ...apiQuery(['left-admins'], routes.listLeftAdmins, { query: { limit: shown } }),
    enabled: can('edit_admins'),
  });
  const { subject: erased, ask, dialog } = useAsked<LeftAdmin>();
  const admins = left.data ?? [];
  return (
    <>
      {admins.length > 0 && (
        <section className={classes.pending}>
          <h2>{t.leftTitle}</h2>
          <Box component="p" mb={8} className={shared.note}>
            {t.leftText}
          </Box>
          <ul className={classes.invitations}>
            {admins.map((admin) => (
              <li key={admin.id}>
                <div>
                  <strong className={classes.email}>{nameOf(admin)}</strong>
                  <p>
                    {admin.email} · {t.left(formatDate(admin.deletedAt))}
                  </p>
                </div>
                <Group gap="xs">
                  <Button
                    variant="default"
                    size="compact-sm"
                    aria-label={`${frPrivacy.export}${fr.common.colon}${nameOf(admin)}`}
                    onClick={() => void exportPersonalData(routes.exportAdmin, admin.id, nameOf(admin))}
                  >
                    {t.exportShort}
                  </Button>
                  <Button
                    variant="default"
                    size="compact-sm"
                    aria-label={`${frPrivacy.erase}${fr.common.colon}${nameOf(admin)}`}
                    onClick={() => ask(admin)}
                  >
                    {t.eraseShort}
                  </Button>
                </Group>
              </li>
            ))}
          </ul>
        </section>
      )}
      {erased && (
        <ErasureModal
          {...dialog}
          name={`${nameOf(erased)} (${erased.email})`}
          consequence={t.consequence}
          erase={(reason, { idempotencyKey }) =>
            api(routes.eraseAdmin, { params: { id: erased.id }, body: { reason }, idempotencyKey })
          }
        />
      )}
    </>
  );
}

const nameOf = (admin: LeftAdmin) => `${admin.fname} ${admin.lname}`;
