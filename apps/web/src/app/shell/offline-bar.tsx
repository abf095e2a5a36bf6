import { IconWifiOff } from '@tabler/icons-react';
import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import classes from './offline-bar.module.css';
import { frShell } from './shell.fr.ts';

export function OfflineBar() {
  const isOnline = useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );
  return (
    <div role="status">
      {!isOnline && (
        <p className={classes.bar}>
          <IconWifiOff size={16} stroke={1.8} aria-hidden />
          {frShell.offline}
        </p>
      )}
    </div>
  );
}
