import { Button, Menu } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import type { Payout } from '@regie/contract/routes/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconReceipt } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, api, errorSentence } from '#src/lib/api.ts';
import { newId } from '#src/lib/new-id.ts';
import { useCan } from '#src/lib/session.ts';
import { MoreMenu } from '#src/ui/more-menu.tsx';
import { payeeName } from './payout-labels.tsx';
import { frPayouts } from './payouts.fr.ts';

const t = frPayouts.receipt;

interface ReceiptButtonProps {
  payout: Payout;
  isShort?: boolean;
  onDone: (outcome: { tone: 'success' | 'error'; text: string }) => void;
}

/**
 * The receipt of a paid payout: a button until its first download (product §14.3), which is recorded; afterwards an
 * item of the "…" menu.
 */
export function ReceiptButton({ payout, isShort, onDone }: ReceiptButtonProps) {
  const can = useCan();
  const queryClient = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  if (payout.payoutState !== 'PAID' || !can('read_paid_payout')) return null;
  const params = { id: payout.payoutId };
  const make = async () => {
    setIsBusy(true);
    try {
      const [{ data }, { downloadReceipt }] = await Promise.all([
        api(routes.getPayoutReceipt, { params }),
        import('./receipt-pdf.ts'),
      ]);
      const fileName = await downloadReceipt(data, () =>
        api(routes.markPayoutDownloaded, { params, body: { download: true }, idempotencyKey: newId() }),
      );
      onDone({ tone: 'success', text: t.made(fileName) });
      void queryClient.invalidateQueries();
    } catch (error) {
      onDone({ tone: 'error', text: error instanceof ApiError ? errorSentence(error) : messages.retry });
    } finally {
      setIsBusy(false);
    }
  };
  const number = formatPayoutNumber(payout.payoutId);
  if (payout.payoutDownloaded === 1) {
    return (
      <MoreMenu label={t.more(number)}>
        <Menu.Item
          leftSection={<IconReceipt size={16} stroke={1.8} aria-hidden />}
          disabled={isBusy}
          onClick={() => void make()}
        >
          {t.downloadAgain}
        </Menu.Item>
      </MoreMenu>
    );
  }
  return (
    <Button
      variant="default"
      size={isShort ? 'compact-sm' : 'sm'}
      loading={isBusy}
      leftSection={<IconReceipt size={16} stroke={1.8} aria-hidden />}
      onClick={() => void make()}
      aria-label={t.downloadOf(number, payeeName(payout))}
    >
      {isShort ? t.downloadShort : t.download}
    </Button>
  );
}
