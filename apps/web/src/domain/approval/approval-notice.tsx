import { Button, Group } from '@mantine/core';
import { useAct } from '#src/lib/act.ts';
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
  const { act, isBusy, failure } = useAct();
  const run = (call: () => Promise<{ message: string }>) => act(async () => (await call()).message);
  return (
    <Notice tone={failure ? 'error' : 'info'}>
      <strong>{title}</strong>
      {failure && <div>{failure}</div>}
      <div>{text}</div>
      <Group gap="xs" mt={6}>
        {canApprove && (
          <Button size="compact-sm" loading={isBusy} onClick={() => run(onApprove)}>
            {t.approve}
          </Button>
        )}
        <Button size="compact-sm" variant="default" disabled={isBusy} onClick={() => run(onWithdraw)}>
          {t.withdraw}
        </Button>
      </Group>
    </Notice>
  );
}
