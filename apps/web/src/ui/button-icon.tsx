import type { Icon } from '@tabler/icons-react';

export const buttonIcon = (Drawing: Icon, size = 16) => <Drawing size={size} stroke={1.8} aria-hidden />;
