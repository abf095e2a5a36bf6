import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useAct } from '#src/lib/act.ts';

interface SuccessWithUndoProps {
  children: ReactNode;
  label: string;
  undo: (options: { idempotencyKey: string }) => Promise<string>;
}

export function SuccessWithUndo({ children, label, undo }: SuccessWithUndoProps) {
  const [failure, setFailure] = useState<string>();
  const { act, isBusy } = useAct({ onFailure: setFailure });
  return (
    <>
      {children}
      {failure && <div role="alert">{failure}</div>}
      <div data-undo>
        <Button variant="default" size="compact-sm" mt={6} loading={isBusy} onClick={() => act(undo)}>
          {label}
        </Button>
      </div>
    </>
  );
}
