import { formatMoney } from '@regie/values/formats.ts';
import { Link } from '@tanstack/react-router';
import { fr } from '#src/lib/fr.ts';
import shared from './shared.module.css';

interface Item {
  id: number;
  name: string;
  amountEur?: number;
  reason?: string | undefined;
  to?: string;
}

export function ReasonList({ items }: { items: readonly Item[] }) {
  return (
    <ul className={shared.bullets}>
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
