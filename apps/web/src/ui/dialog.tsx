import { Button, Modal, type ModalProps } from '@mantine/core';
import { createContext, useContext, useState } from 'react';
import { fr } from '#src/fr.ts';
import { DialogUnsavedChanges, useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { LeaveModal } from './leave-modal.tsx';

const CloseDialog = createContext<() => void>(() => undefined);

interface DialogProps extends Omit<ModalProps, 'opened'> {
  isOpen: boolean;
  /** Where what is chosen belongs to the component that draws the dialog. */
  isDirty?: boolean;
}

/**
 * A dialog in which something is typed or chosen: Escape, a click beside it, its cross and "Annuler" ask before that
 * is lost. Forms tell by themselves, other fields by `useUnsavedChanges`.
 */
export function Dialog({ isOpen, onClose, isDirty = false, children, ...rest }: DialogProps) {
  const [sources] = useState(() => new Set<symbol>());
  const [isAsking, setIsAsking] = useState(false);
  useUnsavedChanges(isOpen && isDirty);
  const close = () => {
    // Escape while the question is on answers it: it reaches the dialog underneath only.
    if (isAsking) setIsAsking(false);
    else if (isDirty || sources.size > 0) setIsAsking(true);
    else onClose();
  };
  const leave = () => {
    setIsAsking(false);
    onClose();
  };
  return (
    <Modal {...rest} opened={isOpen} onClose={close}>
      <DialogUnsavedChanges value={sources}>
        <CloseDialog value={close}>{children}</CloseDialog>
      </DialogUnsavedChanges>
      <LeaveModal leaving={{ isAsking, leave, stay: () => setIsAsking(false) }} isClosableWithEscape={false} />
    </Modal>
  );
}

/** "Annuler" of the dialog around. */
export function CancelButton(props: { disabled?: boolean; 'data-autofocus'?: boolean }) {
  return (
    <Button {...props} variant="default" onClick={useContext(CloseDialog)}>
      {fr.common.cancel}
    </Button>
  );
}
