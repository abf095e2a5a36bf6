import { routes } from '@regie/contract/routes.ts';
import { useSigning } from '#src/domain/signing/record-signing.tsx';
import { apiQuery } from '#src/lib/api.ts';
import { frPayouts } from './payouts.fr.ts';

export const payoutQuery = (id: number) => apiQuery(['payout', id], routes.getPayout, { params: { id } });

export const requestOptionsQuery = (accountId: number) =>
  apiQuery(['payout-request', accountId], routes.getRequestOptions, { params: { id: accountId } });

/** For a signatory whose export or payment gives the last signature that is needed. */
export const useSigningHint = (subject: 'batch' | 'payout', id: number): string | undefined =>
  useSigning(subject, String(id)).signsByAct ? frPayouts.signsByAct : undefined;
