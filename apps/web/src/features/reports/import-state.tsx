import type { Import } from '@regie/contract/routes/reports.ts';
import { fr } from '#src/fr.ts';
import { formatInteger } from '#src/lib/formats.ts';
import { StatusBadge } from '#src/ui/status-badge.tsx';

const t = fr.reports.imports;

export const isIncomplete = (item: Import) =>
  item.reversedAt === null && item.batchesExpected !== null && item.batches < item.batchesExpected;

export function importName(item: Import): string {
  return item.fileName ?? t.kind[item.kind];
}

export function importStateText(item: Import): string {
  if (item.reversedAt !== null) return t.state.reversed;
  return isIncomplete(item)
    ? t.incomplete(formatInteger(item.batches), formatInteger(item.batchesExpected ?? 0))
    : t.state.active;
}

export function ImportState({ item }: { item: Import }) {
  const tone = item.reversedAt !== null ? 'neutral' : isIncomplete(item) ? 'warning' : 'success';
  return <StatusBadge tone={tone}>{importStateText(item)}</StatusBadge>;
}
