import { IconBuilding } from '@tabler/icons-react';

export function ProviderIcon() {
  return <IconBuilding size={18} stroke={1.7} aria-hidden />;
}
