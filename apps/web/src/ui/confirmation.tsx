import { type ComponentProps, type ReactNode, useRef } from 'react';
import { useAsked } from '#src/lib/asked.ts';
import { ConfirmModal } from './confirm-modal.tsx';

type Question = Pick<ComponentProps<typeof ConfirmModal>, 'name' | 'consequence' | 'verb' | 'isSafe' | 'children'>;

interface Confirmation {
  ask: (question: Question) => Promise<boolean>;
  question: ReactNode;
}

export function useConfirmation(): Confirmation {
  const { subject, ask, dialog } = useAsked<Question>();
  const resolve = useRef<(isMeant: boolean) => void>(undefined);
  const answer = (isMeant: boolean) => {
    resolve.current?.(isMeant);
    dialog.onClose();
  };
  return {
    ask: (question) =>
      new Promise((settle) => {
        resolve.current = settle;
        ask(question);
      }),
    question: subject && (
      <ConfirmModal {...subject} {...dialog} onClose={() => answer(false)} onConfirm={async () => answer(true)} />
    ),
  };
}
