import { formatInteger, formatMoney } from '@regie/values/formats.ts';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { useCan } from '#src/lib/session.ts';
import shared from '#src/ui/shared.module.css';
import { frRecords } from './records.fr.ts';

const t = frRecords.nothingToPay;

interface NothingToPayProps {
  /** Of payouts that are requested, not paid. */
  pendingEur: number;
  pendingBatch: number | null;
}

/** Why nothing is payable, with the way to what is pending. */
export function NothingToPay({ pendingEur, pendingBatch }: NothingToPayProps) {
  const pending = t.pending(
    formatMoney(pendingEur, 'EUR'),
    pendingBatch === null ? undefined : formatInteger(pendingBatch),
  );
  return (
    <>
      {t.title}{' '}
      {useCan()('read_pending_payout') ? (
        <Link
          className={shared.textLink}
          to={pendingBatch === null ? paths.pendingPayouts : paths.payoutBatch(pendingBatch)}
        >
          {pending}
        </Link>
      ) : (
        pending
      )}
    </>
  );
}
