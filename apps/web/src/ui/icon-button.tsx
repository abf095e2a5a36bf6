import { ActionIcon, type ActionIconProps } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import { createLink } from '@tanstack/react-router';
import type { ComponentProps, ComponentPropsWithRef } from 'react';
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

type IconLinkProps = ComponentPropsWithRef<'a'> & Pick<IconButtonProps, 'icon' | 'label'>;

/** A framed icon that leads to another page. */
export const IconLink = createLink(({ icon, label, ...link }: IconLinkProps) => (
  <ActionIcon component="a" variant="default" size={36} aria-label={label} data-tip={label} {...link}>
    {buttonIcon(icon, 18)}
  </ActionIcon>
));
