import { Drawer } from '@mantine/core';
import { fr } from '#src/lib/fr.ts';
import { Sidebar } from './sidebar.tsx';

export function PhoneMenu({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      size={320}
      title={fr.app}
      padding={0}
      styles={{ header: { padding: '8px 12px 8px 20px' } }}
    >
      <Sidebar isCollapsed={false} onNavigate={onClose} />
    </Drawer>
  );
}
