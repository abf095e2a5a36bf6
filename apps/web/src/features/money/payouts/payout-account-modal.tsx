import { Stack } from '@mantine/core';
import type { PayoutDetail } from '@regie/contract/routes/payouts.ts';
import { routes } from '@regie/contract/routes.ts';
import { api } from '#src/lib/api.ts';
import type { DialogState } from '#src/lib/asked.ts';
import { Identifier } from '#src/ui/copy-button.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { HiddenNumber } from '#src/ui/hidden-number.tsx';
import { Facts } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { joined } from './payout-labels.tsx';
import { frPayouts } from './payouts.fr.ts';

const t = frPayouts;
export function PayoutAccountModal({ payout, isOpen, onClose }: { payout: PayoutDetail } & DialogState) {
  const { account, isExported } = payout;
  const isBank = account.type === 'bank';
  const swift = account.swift ?? '';
  const facts = [
    { label: t.field.type, value: t.type[account.type] },
    { label: t.field.owner, value: account.owner },
    isBank && {
      label: t.field.iban,
      value: (
        <HiddenNumber
          value={account.iban ?? ''}
          name={t.field.iban}
          reveal={async () => (await api(routes.revealPayoutAccount, { params: { id: payout.payoutId } })).data.iban}
        />
      ),
    },
    isBank && Boolean(swift) && { label: t.field.swift, value: <Identifier value={swift} name={t.field.swift} /> },
    isBank && { label: t.field.bankName, value: account.bankName },
    isBank && {
      label: t.field.bankAddress,
      value: joined(
        account.bankAddress,
        account.bankAddress2,
        `${account.bankZipCode ?? ''} ${account.bankCity ?? ''}`.trim(),
        account.bankCountry,
      ),
    },
    !isBank && { label: t.field.email, value: <Identifier value={account.email ?? ''} name={t.field.email} /> },
    {
      label: t.field.address,
      value: joined(
        account.holderAddress,
        account.holderAddress2,
        `${account.holderPostcode} ${account.holderCity}`.trim(),
        account.holderCountry,
      ),
    },
  ];
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={t.detail.accountTitle} size="md">
      <Stack gap="sm">
        {isExported && <span className={shared.under}>{t.detail.frozen}</span>}
        <Facts facts={facts} />
      </Stack>
    </Dialog>
  );
}
