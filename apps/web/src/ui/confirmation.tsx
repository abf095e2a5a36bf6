import { type ComponentProps, type ReactNode, useRef, useState } from 'react';
import { ConfirmModal } from './confirm-modal.tsx';

type Question = Pick<ComponentProps<typeof ConfirmModal>, 'name' | 'consequence' | 'verb' | 'isSafe' | 'children'>;

interface Confirmation {
  /** True when the user confirms, false when they cancel. */
  ask: (question: Question) => Promise<boolean>;
  /** Rendered beside the form. */
  question: ReactNode;
}

/** The dialog 'Vous êtes sure?' between a form's submit button and its call (`confirm`). */
export function useConfirmation(): Confirmation {
  // The last question stays rendered while its dialog closes.
  const [current, setCurrent] = useState<Question>();
  const [isOpen, setIsOpen] = useState(false);
  const resolve = useRef<(isMeant: boolean) => void>(undefined);
  const answer = (isMeant: boolean) => {
    resolve.current?.(isMeant);
    setIsOpen(false);
  };
  return {
    ask: (question) =>
      new Promise((settle) => {
        resolve.current = settle;
        setCurrent(question);
        setIsOpen(true);
      }),
    question: current && (
      <ConfirmModal {...current} isOpen={isOpen} onClose={() => answer(false)} onConfirm={async () => answer(true)} />
    ),
  };
}
