import type { SignableDetail, SignableLine } from '@regie/contract/routes/signatures.ts';
import { formatDateTime, formatMoney } from '@regie/values/formats.ts';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { changeTexts } from '#src/domain/journal/journal-changes.ts';
import { entryName, who } from '#src/domain/journal/journal-labels.ts';
import { ShortLines, SigningPanel, signableName, signableQuery } from '#src/domain/signing/record-signing.tsx';
import { frSigning } from '#src/domain/signing/signing.fr.ts';
import { useCan } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { RelatedRows } from '#src/ui/list/related-rows.tsx';
import { dayColumn, moneyColumn } from '#src/ui/list/value-columns.tsx';
import { Loaded } from '#src/ui/loaded.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { RecordPage, Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { StatusBadge } from '#src/ui/status-badge.tsx';

const t = frSigning;

export default function SignaturePage() {
  const { subject, id } = useParams({ strict: false }) as Pick<SignableDetail, 'subject' | 'id'>;
  return (
    <Loaded query={useQuery(signableQuery(subject, id))}>
      {(item) =>
        item ? (
          <SignableView item={item} />
        ) : (
          <RecordPage header={<PageHeader title={frScreens.signature} />}>
            <Notice tone="note">{t.ended}</Notice>
          </RecordPage>
        )
      }
    </Loaded>
  );
}

function SignableView({ item }: { item: SignableDetail }) {
  const text = (
    <>
      {item.amountEur !== null && <span className={shared.figure}>{formatMoney(item.amountEur, 'EUR')}</span>}{' '}
      {[item.unsignedEur !== null && t.withFees, item.by].filter(Boolean).join(', ')}
    </>
  );
  return (
    <RecordPage header={<PageHeader title={signableName(item)} text={text} />}>
      <SigningPanel item={item} isOwnPage />
      {item.news.length > 0 && (
        <Section title={t.news}>
          <ul>
            {item.news.map((entry) => (
              <li key={entry.id}>
                {`${t.entry(entryName(entry), who(entry))}, ${formatDateTime(entry.at)}`}
                <div className={shared.under}>
                  <ShortLines lines={changeTexts(entry)} />
                </div>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {(['payments', 'origins', 'credits'] as const).map((kind) => (
        <Lines
          key={kind}
          {...t.lines[nameLines(kind, item)]}
          lines={item[kind]}
          more={kind === 'origins' ? 0 : item.more}
        />
      ))}
    </RecordPage>
  );
}

function nameLines(kind: 'payments' | 'origins' | 'credits', { subject, unsignedEur }: SignableDetail) {
  if (kind === 'payments' && subject === 'billing') return 'details';
  return kind === 'origins' && unsignedEur === null ? 'made' : kind;
}

type LinesProps = Record<'title' | 'what' | 'note', string> & {
  amount?: string;
  lines: readonly SignableLine[];
  more: number;
};

function Lines({ title, what, note, amount = t.amount, lines, more }: LinesProps) {
  const mayOpen = useCan()('manage_profiles') && lines.every(({ userId }) => userId !== null);
  if (lines.length === 0) return null;
  const columns: ListColumn<SignableLine>[] = [
    { key: 'label', header: what, csv: ({ label }) => label, cell: ({ label }) => label },
    moneyColumn({ key: 'amount', header: amount, csv: ({ amountEur }) => amountEur }),
    moneyColumn({ key: 'unsigned', header: t.unsigned, csv: ({ unsignedEur }) => unsignedEur }),
    dayColumn({ key: 'at', header: t.at, csv: ({ at }) => at }),
    {
      key: 'alerts',
      header: note,
      csv: (line) => line.note,
      cell: (line) => (
        <span>
          {line.note} {line.isNewDestination && <StatusBadge tone="warning">{t.isNew}</StatusBadge>}
        </span>
      ),
    },
  ];
  return (
    <Section title={title}>
      <RelatedRows
        title={title}
        rows={lines}
        columns={columns.filter(({ csv }) => csv && lines.some(csv))}
        rowKey={(line) => lines.indexOf(line)}
        rowName={({ label }) => label}
        rowLink={mayOpen ? ({ userId }) => ({ to: paths.profile(userId ?? 0) }) : undefined}
      />
      {more > 0 && <p className={shared.note}>{t.more(more)}</p>}
    </Section>
  );
}
