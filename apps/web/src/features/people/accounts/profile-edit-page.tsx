import type { Profile } from '@regie/contract/routes/accounts.ts';
import { routes } from '@regie/contract/routes.ts';
import { useState } from 'react';
import { api } from '#src/lib/api.ts';
import { useFormRecord } from '#src/lib/form-record.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdParam } from '#src/lib/id-param.ts';
import { Loading } from '#src/ui/loaded.tsx';
import { PageSkeleton } from '#src/ui/states.tsx';
import { profileQuery } from './accounts.api.ts';
import { AccountForm, toShown } from './profile-form.tsx';

export default function ProfileEditPage() {
  const { record, loaded, version, reload } = useFormRecord(profileQuery(useIdParam() ?? 0));
  if (!record) return <Loading query={loaded} placeholder={<PageSkeleton shape="form" />} />;
  return <EditForm key={version} profile={record} onReload={reload} />;
}

/** Initial values are read once; a save updates what the next one is compared with. */
function EditForm({ profile, onReload }: { profile: Profile; onReload: () => Promise<void> }) {
  const [lastRead, setLastRead] = useState({ income: profile.income, updatedAt: profile.updatedAt });
  return (
    <AccountForm
      shares={profile}
      profile={profile}
      lastRead={lastRead}
      submit={(body, { idempotencyKey }) =>
        api(routes.editProfile, { params: { id: profile.id }, body, idempotencyKey })
      }
      onSuccess={({ data }, form) => {
        setLastRead({ income: data.income, updatedAt: data.updatedAt });
        // An adjustment that waits for a signature has no effect yet: the next save must not request it again.
        form.setFieldValue('income', toShown(data.income));
        form.setFieldValue('reason', '');
        form.resetDirty();
      }}
      successMessage={({ message, warnings }) => ({ text: message, isInfo: warnings.length > 0 })}
      onReload={onReload}
      submitLabel={fr.common.save}
    />
  );
}
