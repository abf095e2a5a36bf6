import { Button, CloseButton } from '@mantine/core';
import { IconAlertCircle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { frEntry as fr } from '#src/lib/entry.fr.ts';
import classes from './alerts.module.css';

interface NoticeProps {
  /** `info` is for what blocks; a `note` is a quiet line. */
  tone: 'success' | 'error' | 'info' | 'note';
  children: ReactNode;
  /** For a message whose state the caller keeps. */
  onDismiss?: () => void;
  /** For the result of an action without state: it hides itself. With neither, the notice is permanent. */
  isMessage?: boolean;
  onRetry?: () => void;
}

const icons = { success: IconCircleCheck, error: IconAlertCircle, info: IconInfoCircle, note: IconInfoCircle };

interface MessageProps {
  tone?: NoticeProps['tone'];
  text: ReactNode;
  /** For a text whose state the caller keeps. */
  onDismiss?: (text: undefined) => void;
}

export function Message({ tone = 'error', text, onDismiss }: MessageProps) {
  if (!text) return null;
  return (
    <Notice tone={tone} isMessage onDismiss={onDismiss && (() => onDismiss(undefined))}>
      {text}
    </Notice>
  );
}

export const Toasts = () => <div id={toastsId} className={classes.toasts} />;
const toastsId = 'toasts';
const toastMs = 6000;

/** Errors interrupt a screen reader (product §18.1). A dismissible success is a toast, which ends without a link. */
export function Notice({ tone, children, onDismiss, isMessage = false, onRetry }: NoticeProps) {
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
      <Icon size={18} stroke={1.8} aria-hidden />
      <div className={classes.text}>
        {children}
        {onRetry && (
          <Button display="block" variant="default" size="compact-sm" mt={6} onClick={onRetry}>
            {fr.common.retry}
          </Button>
        )}
      </div>
      {isDismissible && <CloseButton size="sm" aria-label={fr.common.dismiss} onClick={() => dismiss.current()} />}
    </div>
  );
  return toasts ? createPortal(notice, toasts) : notice;
}
