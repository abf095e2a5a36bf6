import { formatDate, formatDateTime, formatRelative } from '#src/lib/formats.ts';

/** An instant in Paris, with the distance to now as a hint. */
export function DateText({ ms, withTime = false }: { ms: number; withTime?: boolean }) {
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatRelative(ms)}>
      {withTime ? formatDateTime(ms) : formatDate(ms)}
    </time>
  );
}
