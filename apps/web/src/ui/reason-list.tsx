import { Link } from '@tanstack/react-router';
import { formatMoney } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';

interface ReasonListProps {
  className?: string;
  /** Without a reason where a heading tells it. */
  items: readonly { id: number; name: string; amountEur?: number; reason?: string | undefined; to?: string }[];
}

/** Records that an action left out, each with the reason. */
export function ReasonList({ className, items }: ReasonListProps) {
  return (
    <ul className={className}>
      {items.map(({ id, name, amountEur, reason, to }) => (
        <li key={`${id} ${reason} ${amountEur}`}>
          {to === undefined ? name : <Link to={to}>{name}</Link>}
          {amountEur !== undefined && `, ${formatMoney(amountEur, 'EUR')}`}
          {reason !== undefined && `${fr.common.colon}${reason}`}
        </li>
      ))}
    </ul>
  );
}
