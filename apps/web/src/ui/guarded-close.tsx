import { type ReactNode, useRef, useState } from 'react';
import { LeaveModal } from './leave-modal.tsx';

interface GuardedClose {
  /** Closes, or asks first while there is something to lose. */
  close: () => void;
  /** For the form inside. */
  onDirtyChange: (isDirty: boolean) => void;
  /** The question, to be drawn beside the dialog. */
  question: ReactNode;
}

/** A dialog that holds a form does not lose what was typed to Escape, a click beside it or "Annuler". */
export function useGuardedClose(onClose: () => void): GuardedClose {
  const isDirty = useRef(false);
  const [isAsking, setIsAsking] = useState(false);
  const leave = () => {
    setIsAsking(false);
    onClose();
  };
  return {
    close: () => {
      // Escape while the question is on answers it: it reaches the dialog underneath only.
      if (isAsking) setIsAsking(false);
      else if (isDirty.current) setIsAsking(true);
      else onClose();
    },
    onDirtyChange: (value) => {
      isDirty.current = value;
    },
    question: <LeaveModal leaving={{ isAsking, leave, stay: () => setIsAsking(false) }} closesOnEscape={false} />,
  };
}
