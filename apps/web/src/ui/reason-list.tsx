import { Link } from '@tanstack/react-router';
import { fr } from '#src/lib/fr.ts';

interface ReasonListProps {
  className?: string | undefined;
  items: readonly { id: number; name: string; reason: string | undefined; to?: string }[];
}

/** Records that an action left out, each with the reason. */
export function ReasonList({ className, items }: ReasonListProps) {
  return (
    <ul className={className}>
      {items.map(({ id, name, reason, to }) => (
        <li key={`${id} ${reason}`}>
          {to === undefined ? name : <Link to={to}>{name}</Link>}
          {fr.common.colon}
          {reason}
        </li>
      ))}
    </ul>
  );
}
