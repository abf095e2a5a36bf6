import { fr } from '#src/lib/fr.ts';

interface ReasonListProps {
  className?: string | undefined;
  items: readonly { id: number; name: string; reason: string | undefined }[];
}

/** Records that an action left out, each with the reason. */
export function ReasonList({ className, items }: ReasonListProps) {
  return (
    <ul className={className}>
      {items.map(({ id, name, reason }) => (
        <li key={id}>
          {name}
          {fr.common.colon}
          {reason}
        </li>
      ))}
    </ul>
  );
}
