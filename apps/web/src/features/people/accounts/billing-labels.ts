import type { BillingAccount } from '@regie/contract/routes/billing.ts';
import { paths } from '#src/app/paths.ts';

export const addressOf = (billing: Pick<BillingAccount, 'id' | 'type'>) =>
  billing.type === 'bank' ? paths.bankAccount(billing.id) : paths.paypalAccount(billing.id);
