import { ActionIcon, Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { buttonIcon } from './button-icon.tsx';

/** Removes a page's record. Only its confirmation is red. */
export function RemoveButton({ children, onClick }: { children: ReactNode; onClick: () => void }) {
  return (
    <Button variant="default" leftSection={buttonIcon(IconTrash)} onClick={onClick}>
      {children}
    </Button>
  );
}

export function RemoveIcon({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" size={32} aria-label={label} onClick={onClick}>
      <IconTrash size={16} stroke={1.8} aria-hidden />
    </ActionIcon>
  );
}
