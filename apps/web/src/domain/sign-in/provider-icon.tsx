import { IconBuilding } from '@tabler/icons-react';

/** The icon before the identity provider's name. */
export function ProviderIcon() {
  return <IconBuilding size={18} stroke={1.7} aria-hidden />;
}
