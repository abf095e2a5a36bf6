import { Button, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { errorSentence } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { frApproval } from './approval.fr.ts';

const t = frApproval;

interface ApprovalNoticeProps {
  title: string;
  text: string;
  canApprove: boolean;
  onApprove: () => Promise<{ message: string }>;
  onWithdraw: () => Promise<{ message: string }>;
}

/** A change that waits for a second person, with the possible actions. */
export function ApprovalNotice({ title, text, canApprove, onApprove, onWithdraw }: ApprovalNoticeProps) {
  const queryClient = useQueryClient();
  const [failure, setFailure] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const run = async (call: () => Promise<{ message: string }>) => {
    setFailure(undefined);
    setIsBusy(true);
    try {
      flashSuccess((await call()).message);
    } catch (error) {
      setFailure(errorSentence(error));
    }
    await queryClient.invalidateQueries();
    setIsBusy(false);
  };
  return (
    <Notice tone={failure ? 'error' : 'info'}>
      <strong>{title}</strong>
      {failure && <div>{failure}</div>}
      <div>{text}</div>
      <Group gap="xs" mt={6}>
        {canApprove && (
          <Button size="compact-sm" loading={isBusy} onClick={() => void run(onApprove)}>
            {t.approve}
          </Button>
        )}
        <Button size="compact-sm" variant="default" disabled={isBusy} onClick={() => void run(onWithdraw)}>
          {t.withdraw}
        </Button>
      </Group>
    </Notice>
  );
}
