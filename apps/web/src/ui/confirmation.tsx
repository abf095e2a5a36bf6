import { type ComponentProps, type ReactNode, useRef, useState } from 'react';
import { ConfirmModal } from './confirm-modal.tsx';

type Question = Pick<ComponentProps<typeof ConfirmModal>, 'name' | 'consequence' | 'verb' | 'children'>;

interface Confirmation {
  /** True once the person confirms, false when they cancel. */
  ask: (question: Question) => Promise<boolean>;
  /** To be drawn beside the form. */
  question: ReactNode;
}

/** 'Vous êtes sure?' current by a form between its submit button and its call (`confirm`). */
export function useConfirmation(): Confirmation {
  // The last one stays while its dialog closes.
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
