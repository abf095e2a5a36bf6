import { CloseButton } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { fr } from '#src/lib/fr.ts';
import classes from './alerts.module.css';

interface NoticeProps {
  tone: 'success' | 'error' | 'info';
  children: ReactNode;
  /** For a message whose state the caller keeps. */
  onDismiss?: () => void;
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

/** Where the shell shows successes: over the page, which they do not move. */
export const Toasts = () => <div id={toastsId} className={classes.toasts} />;
const toastsId = 'toasts';
const toastMs = 6000;

/**
 * The green or red alert of product §18.1; errors interrupt a screen reader, successes do not. A dismissible success is
 * a toast; without a link or an undo, nothing is lost when it ends by itself.
 */
export function Notice({ tone, children, onDismiss, isMessage = false }: NoticeProps) {
  const [isDismissed, setIsDismissed] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const isDismissible = onDismiss !== undefined || isMessage;
  const toasts = tone === 'success' && isDismissible ? document.getElementById(toastsId) : null;
  const dismiss = useRef(() => {});
  dismiss.current = onDismiss ?? (() => setIsDismissed(true));
  // biome-ignore lint/correctness/useExhaustiveDependencies: Another message is shown as long.
  useEffect(() => {
    if (!toasts) return undefined;
    const timer = setInterval(() => {
      if (!box.current?.matches(':hover, :focus-within, :has(a, [data-undo])')) dismiss.current();
    }, toastMs);
    return () => clearInterval(timer);
  }, [toasts, children]);
  const Icon = icons[tone];
  if (isDismissed) return null;
  const notice = (
    <div ref={box} className={classes.notice} data-tone={tone} role={tone === 'error' ? 'alert' : 'status'}>
      <Icon size={18} stroke={1.8} className={classes.icon} aria-hidden />
      <div className={classes.text}>{children}</div>
      {isDismissible && <CloseButton size="sm" aria-label={fr.common.dismiss} onClick={() => dismiss.current()} />}
    </div>
  );
  return toasts ? createPortal(notice, toasts) : notice;
}
