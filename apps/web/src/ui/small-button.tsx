import { Button, type ButtonProps } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import { buttonIcon } from './button-icon.tsx';

interface SmallButtonProps extends ButtonProps {
  icon?: Icon;
  'aria-label'?: string;
  onClick: () => void;
}

/** A button in a row, or beside a title. */
export const SmallButton = ({ icon, ...button }: SmallButtonProps) => (
  <Button variant="default" size="compact-sm" leftSection={icon && buttonIcon(icon, 14)} {...button} />
);
