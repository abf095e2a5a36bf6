import { Button, Group } from '@mantine/core';
import { formatIban } from '@regie/contract/bank-details.ts';
import type { SettingProposal } from '@regie/contract/routes/settings.ts';
import { routes } from '@regie/contract/routes.ts';
import type { GuardedValue } from '@regie/contract/settings.ts';
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

/** The changes of guarded settings that wait for a second admin (decisions §3). */
export function ThresholdNotice() {
  const can = useCan();
  const proposals = useQuery({
    queryKey: ['setting-proposals'],
    queryFn: async ({ signal }) => (await api(routes.listSettingProposals, { signal })).data,
    enabled: can('edit_pending_payout') || can('manage_settings'),
  });
  return proposals.data?.map((proposal) => <Proposal key={proposal.key} proposal={proposal} />) ?? null;
}

function shown(value: GuardedValue): string {
  if (value === null) return t.off;
  if (typeof value === 'number') return formatMoney(value, 'EUR');
  return [formatIban(value.iban), value.bic].filter((part) => part !== '').join(', ') || t.noBank;
}

function Proposal({ proposal: { key, value, present, proposedBy, canApprove } }: { proposal: SettingProposal }) {
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
  const options = { params: { key }, idempotencyKey: newId() };
  return (
    <Notice tone={failure ? 'error' : 'info'}>
      <strong>{t.titles[key]}</strong>
      <div>{failure ?? t.text(shown(present), shown(value), proposedBy)}</div>
      <Group gap="xs" mt={6}>
        {canApprove && (
          <Button
            size="compact-sm"
            loading={isBusy}
            onClick={() => void run(() => api(routes.approveSettingProposal, { ...options, body: { value } }))}
          >
            {t.approve}
          </Button>
        )}
        <Button
          size="compact-sm"
          variant="default"
          disabled={isBusy}
          onClick={() => void run(() => api(routes.withdrawSettingProposal, options))}
        >
          {t.withdraw}
        </Button>
      </Group>
    </Notice>
  );
}
