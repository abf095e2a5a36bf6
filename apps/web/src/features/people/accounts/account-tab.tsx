import type { Profile } from '@regie/contract/routes/accounts.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useIdParam } from '#src/lib/id-param.ts';
import { Loaded } from '#src/ui/loaded.tsx';
import { profileQuery } from './accounts.api.ts';

/** A tab of an account. Its frame has loaded the account. */
export function AccountTab({ children }: { children: (profile: Profile) => ReactNode }) {
  const profile = useQuery(profileQuery(useIdParam() ?? 0));
  return <Loaded query={profile}>{children}</Loaded>;
}
