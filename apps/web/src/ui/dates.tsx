import { formatDate, formatDateTime, formatRelative, notADate } from '@regie/values/formats.ts';

/** An instant in Paris, with the relative time as a hint; an invalid date reads 'y a long temps' (product §18.5). */
export function DateText({ ms, hasTime = false }: { ms: number | null | undefined; hasTime?: boolean }) {
  const text = hasTime ? formatDateTime(ms) : formatDate(ms);
  if (text === notADate || ms === null || ms === undefined) return text;
  return (
    <time dateTime={new Date(ms).toISOString()} title={formatRelative(ms)}>
      {text}
    </time>
  );
}
