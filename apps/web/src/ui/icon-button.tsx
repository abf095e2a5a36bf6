import { ActionIcon, type ActionIconProps } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import { buttonIcon } from './button-icon.tsx';

interface IconButtonProps
  extends ActionIconProps,
    Pick<ComponentProps<'button'>, 'onClick' | 'aria-pressed' | 'aria-disabled' | 'ref'> {
  icon: Icon;
  label: string;
  /** By default the label. */
  tooltip?: string;
}

/** A button that is an icon, small in a row and framed in a toolbar (`variant="default"`); the pointer shows what it does. */
export function IconButton({ icon, label, tooltip = label, variant = 'subtle', ...button }: IconButtonProps) {
  const look = variant === 'subtle' ? { color: 'gray', size: 32 } : { size: 36 };
  return (
    <ActionIcon variant={variant} {...look} aria-label={label} data-tip={tooltip} {...button}>
      {buttonIcon(icon, variant === 'subtle' ? 16 : 18)}
    </ActionIcon>
  );
}
