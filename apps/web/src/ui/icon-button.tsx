import { ActionIcon, type ActionIconProps, Tooltip } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import { buttonIcon } from './button-icon.tsx';

interface IconButtonProps extends ActionIconProps {
  icon: Icon;
  label: string;
  /** By default the label. */
  tooltip?: string;
  onClick: () => void;
}

/** A button that is an icon; the pointer shows what it does. */
export const IconButton = ({ icon, label, tooltip = label, ...button }: IconButtonProps) => (
  <Tooltip label={tooltip}>
    <ActionIcon variant="subtle" color="gray" size={32} aria-label={label} {...button}>
      {buttonIcon(icon)}
    </ActionIcon>
  </Tooltip>
);
