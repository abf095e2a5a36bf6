import { Drawer } from '@mantine/core';
import { fr } from '#src/lib/fr.ts';
import classes from './shell.module.css';
import { Sidebar } from './sidebar.tsx';

/** The sidebar as a drawer, in narrow windows. */
export function PhoneMenu({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      size={320}
      title={fr.app}
      padding={0}
      classNames={{ header: classes.phoneHead }}
    >
      <Sidebar isCollapsed={false} onNavigate={onClose} />
    </Drawer>
  );
}
