import { Button } from '@mantine/core';
import { routes } from '@regie/contract/routes.ts';
import { Link, useNavigate } from '@tanstack/react-router';
import { fr } from '#src/fr.ts';
import { frAccounts } from '#src/fr-accounts.ts';
import { api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { paths } from '#src/paths.ts';
import { PageHeader } from '#src/ui/page-header.tsx';
import { AccountForm } from './profile-form.tsx';

const t = frAccounts.form;

export default function NewProfilePage() {
  const navigate = useNavigate();
  return (
    <>
      <PageHeader title={t.newTitle} />
      <AccountForm
        submit={(body, { idempotencyKey }) => api(routes.createProfile, { body, idempotencyKey })}
        onSuccess={({ data, message }) => {
          flashSuccess(message, { afterNavigation: true });
          void navigate({ to: paths.profile(data.id) });
        }}
        submitLabel={t.create}
        secondary={
          <Button renderRoot={(props) => <Link {...props} to={paths.profiles} />} variant="default">
            {fr.common.cancel}
          </Button>
        }
      />
    </>
  );
}
