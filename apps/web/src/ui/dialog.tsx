import { Button, Modal, type ModalProps } from '@mantine/core';
import {
  createContext,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { fr } from '#src/lib/fr.ts';
import { DialogUnsavedChanges, isAskingToLeave, useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { LeaveModal } from './leave-modal.tsx';

const CloseDialog = createContext<() => void>(() => undefined);

interface DialogProps extends Omit<ModalProps, 'opened'> {
  isOpen: boolean;
  /** For unsaved changes kept by the component that renders the dialog. */
  isDirty?: boolean;
}

/** Ctrl+Enter saves the form with the focus, or the first one; not that of a dialog opened from this one. */
function saveWithKeys(event: KeyboardEvent<HTMLElement>) {
  const { currentTarget: dialog, target } = event;
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  if (!(target instanceof Element && dialog.contains(target))) return;
  event.preventDefault();
  const form = target.closest('form') ?? dialog.querySelector('form');
  // After other ways to send the form.
  [...(form?.querySelectorAll<HTMLElement>('[type="submit"]') ?? [])].at(-1)?.click();
}

/** Closing asks before changes are lost: forms register by themselves, other fields with `useUnsavedChanges`. */
export function Dialog({ isOpen, onClose, isDirty = false, children, ...rest }: DialogProps) {
  const [sources] = useState(() => new Set<symbol>());
  const [isAsking, setIsAsking] = useState(false);
  // Closed dialogs would cost most records a quarter of their rendering. The first time it is mounted closed: only then
  // it records the element that has the focus, which gets it back.
  const [isMounted, setIsMounted] = useState(false);
  useLayoutEffect(() => setIsMounted((before) => before || isOpen), [isOpen]);
  useUnsavedChanges(isOpen && isDirty);
  const close = () => {
    // Escape also reaches the dialog under the confirmation: it answers the confirmation only.
    if (isAskingToLeave) return;
    if (isAsking) setIsAsking(false);
    else if (isDirty || sources.size > 0) setIsAsking(true);
    else onClose();
  };
  const leave = () => {
    setIsAsking(false);
    onClose();
  };
  if (!isMounted && !isOpen) return null;
  return (
    <Modal {...rest} opened={isMounted && isOpen} onClose={close} onKeyDown={saveWithKeys}>
      <DialogUnsavedChanges value={sources}>
        <CloseDialog value={close}>
          <Body isOpen={isOpen}>{children}</Body>
        </CloseDialog>
      </DialogUnsavedChanges>
      <LeaveModal leaving={{ isAsking, leave, stay: () => setIsAsking(false) }} isClosableWithEscape={false} />
    </Modal>
  );
}

const fields = 'input:not([type="hidden"]):not(:disabled), textarea:not(:disabled), select:not(:disabled)';

/** Gives the first focus to the first field or, without one, to what sends the form, in place of the cross. */
function Body({ isOpen, children }: { isOpen: boolean; children: ReactNode }) {
  const body = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const content = body.current;
    if (!content) return undefined;
    const find = () =>
      content.querySelector<HTMLElement>('[data-autofocus]') ??
      content.querySelector<HTMLElement>('input[type="radio"]:checked') ??
      content.querySelector<HTMLElement>(fields) ??
      content.querySelector<HTMLElement>('[type="submit"]');
    // The focus trap looks for it once it is shown.
    const first = find();
    if (first) {
      first.dataset.autofocus = 'true';
      return undefined;
    }
    const observer = new MutationObserver(() => {
      const field = find();
      if (!field) return;
      observer.disconnect();
      if (!content.contains(document.activeElement)) field.focus();
    });
    observer.observe(content, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, []);
  // While it closes, a second click would repeat what the first one did.
  return (
    <div ref={body} inert={!isOpen}>
      {children}
    </div>
  );
}

export function CancelButton(props: { disabled?: boolean; 'data-autofocus'?: boolean }) {
  return (
    <Button {...props} variant="default" onClick={useContext(CloseDialog)}>
      {fr.common.cancel}
    </Button>
  );
}
