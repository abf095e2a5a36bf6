import { preflightProblems } from '@regie/contract/payouts.ts';
import type { Payout } from '@regie/contract/routes/payouts.ts';
import { stateTones } from '#src/domain/state-tones.ts';
import { StatusBadge, type StatusTone } from '#src/ui/status-badge.tsx';
import { frPayouts } from './payouts.fr.ts';
import classes from './payouts.module.css';

const t = frPayouts;

type PayoutOutcome = Pick<Payout, 'payoutState' | 'returnedAt'>;

/** A returned payment is cancelled too, but has its own label. */
export const payoutStateLabel = ({ payoutState, returnedAt }: PayoutOutcome): string =>
  returnedAt === null ? t.state[payoutState] : t.returned;

export function PayoutBadge({ payout }: { payout: PayoutOutcome }) {
  return <StatusBadge tone={stateTones.payment[payout.payoutState]}>{payoutStateLabel(payout)}</StatusBadge>;
}

export const joined = (...parts: (string | null)[]) => parts.filter(Boolean).join(', ');
export const payeeName = (payout: { userFname: string; userLname: string }) =>
  `${payout.userFname} ${payout.userLname}`.trim();

export function alertsOf(payout: Payout): { tone: StatusTone; text: string }[] {
  const alerts: { tone: StatusTone; text: string }[] = [];
  if (payout.payoutState === 'PENDING') {
    if (payout.userState !== 'ENABLED') alerts.push({ tone: 'danger', text: t.alert.accountClosed });
    if (payout.isBillingDeleted) alerts.push({ tone: 'danger', text: t.alert.billingDeleted });
    if (payout.payoutNet < 0.01) alerts.push({ tone: 'danger', text: preflightProblems.net_too_small.label });
    if (payout.userIncome < 0) alerts.push({ tone: 'danger', text: preflightProblems.negative_balance.label });
    if (payout.isRecentlyChanged) alerts.push({ tone: 'warning', text: t.alert.recentlyChanged });
    if (payout.needsSignatures) alerts.push({ tone: 'warning', text: t.alert.signatureMissing });
  }
  return alerts;
}

export function PayoutAlerts({ payout }: { payout: Payout }) {
  return (
    <span className={classes.badges}>
      {alertsOf(payout).map((alert) => (
        <StatusBadge key={alert.text} tone={alert.tone}>
          {alert.text}
        </StatusBadge>
      ))}
    </span>
  );
}
