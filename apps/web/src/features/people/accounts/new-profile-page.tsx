import { routes } from '@regie/contract/routes.ts';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { api, apiQuery } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { LinkButton } from '#src/ui/link-button.tsx';
import { Loading } from '#src/ui/loaded.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { PageSkeleton } from '#src/ui/states.tsx';
import { frAccounts } from './accounts.fr.ts';
import { AccountForm } from './profile-form.tsx';

const t = frAccounts.form;

export default function NewProfilePage() {
  const navigate = useNavigate();
  const shares = useQuery({
    ...apiQuery(['profile', 'new'], routes.getNewProfile),
    staleTime: 0,
    gcTime: 0,
  });
  if (!shares.data) return <Loading query={shares} placeholder={<PageSkeleton shape="form" />} />;
  return (
    <>
      <PageHeader title={frScreens.accounts.newCrumb} />
      <AccountForm
        shares={shares.data}
        submit={(body, { idempotencyKey }) => api(routes.createProfile, { body, idempotencyKey })}
        onSuccess={({ data, message }) => {
          flashSuccess(message, { afterNavigation: true });
          void navigate({ to: paths.profile(data.id) });
        }}
        submitLabel={t.create}
        secondary={
          <LinkButton to={paths.profiles} variant="default">
            {fr.common.cancel}
          </LinkButton>
        }
      />
    </>
  );
}
