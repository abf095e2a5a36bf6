import type { Icon } from '@tabler/icons-react';

/** The icon of a button or of a menu's entry; 14 in a compact one. */
export const buttonIcon = (Drawing: Icon, size = 16) => <Drawing size={size} stroke={1.8} aria-hidden />;
