import { Button, Menu } from '@mantine/core';
import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import type { Payout } from '@regie/contract/routes/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconReceipt } from '@tabler/icons-react';
import { useAct } from '#src/lib/act.ts';
import { api } from '#src/lib/api.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { MoreMenu } from '#src/ui/more-menu.tsx';
import { payeeName } from './payout-labels.tsx';
import { frPayouts } from './payouts.fr.ts';

const t = frPayouts.receipt;

interface ReceiptButtonProps {
  payout: Payout;
  isShort?: boolean;
  onFailure: (sentence: string | undefined) => void;
}

/** A button until the first download, which is recorded (product §14.3); then an item of the "…" menu. */
export function ReceiptButton({ payout, isShort, onFailure }: ReceiptButtonProps) {
  const can = useCan();
  const { act, isBusy } = useAct({ onFailure });
  if (payout.payoutState !== 'PAID' || !can('read_paid_payout')) return null;
  const params = { id: payout.payoutId };
  const make = () =>
    act(async ({ idempotencyKey }) => {
      const [{ data }, { receiptDocument }, { downloadPdf }] = await Promise.all([
        api(routes.getPayoutReceipt, { params }),
        import('@regie/documents/receipt.ts'),
        import('#src/lib/pdf.ts'),
      ]);
      // Recorded before the download: a payout returned meanwhile has no receipt.
      const fileName = await downloadPdf(receiptDocument(data), () =>
        api(routes.markPayoutDownloaded, { params, body: { download: true }, idempotencyKey }),
      );
      return t.made(fileName);
    });
  const number = formatPayoutNumber(payout.payoutId);
  if (payout.payoutDownloaded === 1) {
    return (
      <MoreMenu label={t.more(number)}>
        <Menu.Item leftSection={buttonIcon(IconReceipt)} disabled={isBusy} onClick={make}>
          {t.downloadAgain}
        </Menu.Item>
      </MoreMenu>
    );
  }
  return (
    <Button
      variant={isShort ? 'default' : 'filled'}
      size={isShort ? 'compact-sm' : 'sm'}
      loading={isBusy}
      leftSection={buttonIcon(IconReceipt)}
      onClick={make}
      aria-label={t.downloadOf(number, payeeName(payout))}
    >
      {isShort ? t.downloadShort : t.download}
    </Button>
  );
}
