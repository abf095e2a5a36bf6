import { Stack } from '@mantine/core';
import { routes } from '@regie/contract/routes.ts';
import type { GuardedValue } from '@regie/contract/settings.ts';
import { formatIban } from '@regie/values/iban.ts';
import { useQuery } from '@tanstack/react-query';
import { api } from '#src/lib/api.ts';
import { formatMoney } from '#src/lib/formats.ts';
import { newId } from '#src/lib/new-id.ts';
import { useCan } from '#src/lib/session.ts';
import { frApproval } from './approval.fr.ts';
import { ApprovalNotice } from './approval-notice.tsx';

const t = frApproval.threshold;

function shown(value: GuardedValue): string {
  if (value === null) return t.off;
  if (typeof value === 'number') return formatMoney(value, 'EUR');
  if (typeof value === 'string') return t.policies[value];
  return [formatIban(value.iban), value.bic].filter((part) => part !== '').join(', ') || t.noBank;
}

/** Changes of guarded settings that wait for a second admin (product §33.24). */
export function ThresholdNotice() {
  const can = useCan();
  const proposals = useQuery({
    queryKey: ['setting-proposals'],
    queryFn: async ({ signal }) => (await api(routes.listSettingProposals, { signal })).data,
    enabled: can('edit_pending_payout') || can('manage_settings'),
  });
  if (!proposals.data?.length) return null;
  return (
    <Stack gap="xs" mb="md">
      {proposals.data.map(({ key, value, present, proposedBy, canApprove }) => (
        <ApprovalNotice
          key={key}
          title={t.titles[key]}
          text={t.text(shown(present), shown(value), proposedBy)}
          canApprove={canApprove}
          onApprove={() =>
            api(routes.approveSettingProposal, { params: { key }, body: { value }, idempotencyKey: newId() })
          }
          onWithdraw={() => api(routes.withdrawSettingProposal, { params: { key }, idempotencyKey: newId() })}
        />
      ))}
    </Stack>
  );
}
