import type { Import } from '@regie/contract/routes/reports.ts';
import { formatInteger, lastShare } from '@regie/values/formats.ts';
import { Money } from '#src/ui/money.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { frReports } from './reports.fr.ts';

const t = frReports.imports;

export const isStaged = (item: Import) => item.reversedAt === null && item.stagedBatches > 0;

export const isIncomplete = (item: Import) =>
  item.reversedAt === null &&
  item.stagedBatches === 0 &&
  item.batchesExpected !== null &&
  item.batches < item.batchesExpected;

export const savedRows = (item: Import) => (item.postedAt === null ? 0 : item.saved - item.stagedRows);

type Amounts = Pick<Import, 'grossEur' | 'accountsEur' | 'referralsEur'>;
export const platformShare = (item: Amounts) => lastShare(item.grossEur, [item.accountsEur, item.referralsEur]);

export const shareFacts = (item: Amounts) => [
  { label: t.column.accountsEur, value: <Money amount={item.accountsEur} currency="EUR" /> },
  { label: t.column.referralsEur, value: <Money amount={item.referralsEur} currency="EUR" /> },
  { label: t.column.platformEur, value: <Money amount={platformShare(item)} currency="EUR" /> },
];

const dayMs = 24 * 60 * 60 * 1000;
export const isAbandoned = (item: Import) => isStaged(item) && Date.now() - item.receivedAt > dayMs;

export const importName = (item: Import): string => item.fileName ?? t.kind[item.kind];

const stateName = (item: Import) => {
  if (item.reversedAt !== null) return item.postedAt === null ? t.state.removed : t.state.reversed;
  if (isStaged(item)) return t.state.staged;
  return isIncomplete(item) ? t.state.incomplete : t.state.active;
};

const partOf = (item: Import) =>
  isStaged(item) || isIncomplete(item)
    ? t.batchesOf(formatInteger(item.batches), formatInteger(item.batchesExpected ?? 0))
    : undefined;

export const importStateText = (item: Import) =>
  [stateName(item), partOf(item)].filter((part) => part !== undefined).join('\u00a0: ');

export function ImportState({ item, hasDetails = false }: { item: Import; hasDetails?: boolean }) {
  const part = partOf(item);
  const tone = item.reversedAt !== null ? 'neutral' : part === undefined ? 'success' : 'warning';
  if (!hasDetails) return <StatusBadge tone={tone}>{importStateText(item)}</StatusBadge>;
  return (
    <>
      <StatusBadge tone={tone}>{stateName(item)}</StatusBadge>
      {part !== undefined && <span className={shared.under}>{t.batchesReceived(part)}</span>}
    </>
  );
}
