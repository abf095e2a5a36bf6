import { IconBuilding } from '@tabler/icons-react';

/** Stands before the name of the identity provider. */
export function ProviderIcon() {
  return <IconBuilding size={18} stroke={1.7} aria-hidden />;
}
