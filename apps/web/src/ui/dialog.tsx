import { Button, Modal, type ModalProps } from '@mantine/core';
import { createContext, useContext, useState } from 'react';
import { fr } from '#src/fr.ts';
import { DialogHolders, useHeldWork } from '#src/lib/held-work.ts';
import { LeaveModal } from './leave-modal.tsx';

const CloseDialog = createContext<() => void>(() => undefined);

interface DialogProps extends Omit<ModalProps, 'opened'> {
  isOpen: boolean;
  /** Where what is chosen belongs to the component that draws the dialog. */
  holdsWork?: boolean;
}

/**
 * A dialog in which something is typed or chosen: Escape, a click beside it, its cross and "Annuler" ask before that
 * is lost. Forms tell by themselves, other fields by `useHeldWork`.
 */
export function Dialog({ isOpen, onClose, holdsWork = false, children, ...rest }: DialogProps) {
  const [holders] = useState(() => new Set<symbol>());
  const [isAsking, setIsAsking] = useState(false);
  useHeldWork(isOpen && holdsWork);
  const close = () => {
    // Escape while the question is on answers it: it reaches the dialog underneath only.
    if (isAsking) setIsAsking(false);
    else if (holdsWork || holders.size > 0) setIsAsking(true);
    else onClose();
  };
  const leave = () => {
    setIsAsking(false);
    onClose();
  };
  return (
    <Modal {...rest} opened={isOpen} onClose={close}>
      <DialogHolders value={holders}>
        <CloseDialog value={close}>{children}</CloseDialog>
      </DialogHolders>
      <LeaveModal leaving={{ isAsking, leave, stay: () => setIsAsking(false) }} closesOnEscape={false} />
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
