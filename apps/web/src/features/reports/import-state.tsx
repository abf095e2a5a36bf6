import type { Import } from '@regie/contract/routes/reports.ts';
import { fr } from '#src/fr.ts';
import { formatInteger } from '#src/lib/formats.ts';
import { StatusBadge } from '#src/ui/status-badge.tsx';

const t = fr.reports.imports;

/** Rows of it wait for the rest of their file. */
export const isStaged = (item: Import) => item.reversedAt === null && item.stagedBatches > 0;

/** Posted as far as it came. */
export const isIncomplete = (item: Import) =>
  item.reversedAt === null &&
  item.stagedBatches === 0 &&
  item.batchesExpected !== null &&
  item.batches < item.batchesExpected;

/** Rows of it that are in reports. */
export const savedRows = (item: Import) => (item.postedAt === null ? 0 : item.saved - item.stagedRows);

const dayMs = 24 * 60 * 60 * 1000;
/** Nobody seems to send the rest. */
export const isAbandoned = (item: Import) => isStaged(item) && Date.now() - item.receivedAt > dayMs;

export function importName(item: Import): string {
  return item.fileName ?? t.kind[item.kind];
}

export function importStateText(item: Import): string {
  if (item.reversedAt !== null) return item.postedAt === null ? t.state.removed : t.state.reversed;
  const batches = t.batchesOf(formatInteger(item.batches), formatInteger(item.batchesExpected ?? 0));
  if (isStaged(item)) return `${t.state.staged}\u00a0: ${batches}`;
  return isIncomplete(item) ? `${t.state.incomplete}\u00a0: ${batches}` : t.state.active;
}

export function ImportState({ item }: { item: Import }) {
  const tone = item.reversedAt !== null ? 'neutral' : isStaged(item) || isIncomplete(item) ? 'warning' : 'success';
  return <StatusBadge tone={tone}>{importStateText(item)}</StatusBadge>;
}
