import type { Profile } from '@regie/contract/routes/accounts.ts';
import { createContext, useContext } from 'react';

export const AccountContext = createContext<Profile | undefined>(undefined);

/** The account of a tab, which its frame has loaded. */
export function useAccount(): Profile {
  const profile = useContext(AccountContext);
  if (!profile) throw new Error('not in the frame of an account');
  return profile;
}
