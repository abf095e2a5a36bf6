import type { Signable } from '@regie/contract/routes/signatures.ts';
import { routes } from '@regie/contract/routes.ts';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { changesText } from '#src/domain/journal/journal-changes.ts';
import { signableName } from '#src/domain/signing/record-signing.tsx';
import { frSigning } from '#src/domain/signing/signing.fr.ts';
import { fr } from '#src/lib/fr.ts';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { dayColumn, moneyColumn } from '#src/ui/list/value-columns.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';

const t = frSigning;

const columns: readonly ListColumn<Signable>[] = [
  {
    key: 'what',
    header: t.what,
    cell: (item) => (
      <>
        {signableName(item)}
        {item.entry && (
          <span className={shared.under} style={{ whiteSpace: 'normal' }}>
            {changesText(item.entry)}
          </span>
        )}
      </>
    ),
  },
  moneyColumn({ key: 'amount', header: t.toSign, csv: ({ amountEur }) => amountEur }),
  { key: 'by', header: t.by, cell: ({ by }) => by ?? fr.common.none },
  dayColumn({ key: 'at', header: t.at, csv: ({ at }) => at }),
  {
    key: 'state',
    header: frScreens.signature,
    cell: ({ signing }) => (
      <span>
        {t.state(signing)} {signing.canSign && <StatusBadge tone="warning">{t.canBeSigned}</StatusBadge>}
      </span>
    ),
  },
];

const groupOf = ({ signing }: Signable) => (signing.reasons.includes('offered') ? t.offered : t.required);

export default function SignatureListPage() {
  return (
    <ListPage
      id="signatures"
      title={frScreens.signatures}
      route={routes.listSignables}
      rows={({ items }) => items.toSorted((one, other) => groupOf(one).localeCompare(groupOf(other)))}
      columns={columns}
      rowKey={(item) => `${item.subject} ${item.id}`}
      rowName={signableName}
      rowLink={(item) => ({ to: paths.signature(item.subject, item.id) })}
      group={{ key: groupOf, header: groupOf }}
      exportName={null}
      empty={t.empty}
    />
  );
}
