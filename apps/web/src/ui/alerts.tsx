import { CloseButton } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { fr } from '#src/fr.ts';
import classes from './alerts.module.css';

interface NoticeProps {
  tone: 'success' | 'error' | 'info';
  children: ReactNode;
  /** Without it the notice stays. */
  onDismiss?: (() => void) | undefined;
}

const icons = { success: IconCircleCheck, error: IconAlertCircle, info: IconInfoCircle };

/** The green or red alert of specification 1 §8; errors interrupt a screen reader, successes wait for it. */
export function Notice({ tone, children, onDismiss }: NoticeProps) {
  const Icon = icons[tone];
  return (
    <div className={classes.notice} data-tone={tone} role={tone === 'error' ? 'alert' : 'status'}>
      <Icon size={18} stroke={1.8} className={classes.icon} aria-hidden />
      <div className={classes.text}>{children}</div>
      {onDismiss && <CloseButton size="sm" aria-label={fr.common.dismiss} onClick={onDismiss} />}
    </div>
  );
}
