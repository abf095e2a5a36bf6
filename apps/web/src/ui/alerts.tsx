import { CloseButton } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { fr } from '#src/lib/fr.ts';
import classes from './alerts.module.css';

interface NoticeProps {
  tone: 'success' | 'error' | 'info';
  children: ReactNode;
  /** For a message whose state the caller keeps. */
  onDismiss?: (() => void) | undefined;
  /** For the result of an action without state: it hides itself. With neither, the notice is permanent. */
  isMessage?: boolean;
}

const icons = { success: IconCircleCheck, error: IconAlertCircle, info: IconInfoCircle };

interface MessageProps {
  tone: 'success' | 'error';
  /** Absent: nothing is shown. */
  text: ReactNode;
  onDismiss: (text: undefined) => void;
}

/** The result of an action, kept in the state of the component that ran it. */
export function Message({ tone, text, onDismiss }: MessageProps) {
  if (!text) return null;
  return (
    <Notice tone={tone} onDismiss={() => onDismiss(undefined)}>
      {text}
    </Notice>
  );
}

/** The green or red alert of product §18.1; errors interrupt a screen reader, successes do not. */
export function Notice({ tone, children, onDismiss, isMessage = false }: NoticeProps) {
  const [isDismissed, setIsDismissed] = useState(false);
  const Icon = icons[tone];
  if (isDismissed) return null;
  return (
    <div className={classes.notice} data-tone={tone} role={tone === 'error' ? 'alert' : 'status'}>
      <Icon size={18} stroke={1.8} className={classes.icon} aria-hidden />
      <div className={classes.text}>{children}</div>
      {(onDismiss || isMessage) && (
        <CloseButton size="sm" aria-label={fr.common.dismiss} onClick={onDismiss ?? (() => setIsDismissed(true))} />
      )}
    </div>
  );
}
