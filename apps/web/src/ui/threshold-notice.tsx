import { Button, Group } from '@mantine/core';
import { routes } from '@regie/contract/routes.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { frPayouts } from '#src/fr-payouts.ts';
import { api, errorSentence } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { formatMoney } from '#src/lib/formats.ts';
import { newId } from '#src/lib/new-id.ts';
import { useCan } from '#src/lib/session.ts';
import { Notice } from './alerts.tsx';

const t = frPayouts.threshold;

/** The change of the approval threshold that waits for a second admin (decisions §3). */
export function ThresholdNotice() {
  const can = useCan();
  const queryClient = useQueryClient();
  const [failure, setFailure] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const isConcerned = can('edit_pending_payout') || can('manage_settings');
  const proposal = useQuery({
    queryKey: ['approval-proposal'],
    queryFn: async ({ signal }) => (await api(routes.getApprovalProposal, { signal })).data,
    enabled: isConcerned,
  });
  if (!proposal.data) return null;
  const { payoutApprovalEur, presentEur, proposedBy, canApprove } = proposal.data;
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
      <strong>{t.title}</strong>
      <div>{failure ?? t.text(formatMoney(presentEur, 'EUR'), formatMoney(payoutApprovalEur, 'EUR'), proposedBy)}</div>
      <Group gap="xs" mt={6}>
        {canApprove && (
          <Button
            size="compact-sm"
            loading={isBusy}
            onClick={() =>
              void run(() =>
                api(routes.approveApprovalProposal, { body: { payoutApprovalEur }, idempotencyKey: newId() }),
              )
            }
          >
            {t.approve}
          </Button>
        )}
        <Button
          size="compact-sm"
          variant="default"
          disabled={isBusy}
          onClick={() => void run(() => api(routes.withdrawApprovalProposal, { idempotencyKey: newId() }))}
        >
          {t.withdraw}
        </Button>
      </Group>
    </Notice>
  );
}
