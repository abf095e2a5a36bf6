import { Button } from '@mantine/core';
import type { ReportStatements as Statements } from '@regie/contract/routes/reports.ts';
import { routes } from '@regie/contract/routes.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { formatLine, formatLineWithin } from '#src/domain/tracks/line-names.ts';
import { frSourceLines } from '#src/domain/tracks/source-lines.fr.ts';
import { FileAmounts, FileRows, SourceLines } from '#src/domain/tracks/source-lines.tsx';
import { apiQuery } from '#src/lib/api.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { Loaded, Loading } from '#src/ui/loaded.tsx';
import { PlainTable, TableSkeleton } from '#src/ui/plain-table.tsx';
import { Facts, Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';

const t = frSourceLines;

export function ReportStatements({ reportId }: { reportId: number }) {
  const statements = useQuery(
    apiQuery(['report', reportId, 'statements'], routes.listReportStatements, { params: { id: reportId } }),
  );
  return (
    <Section title={t.title} method={t.hint}>
      <Loaded query={statements} placeholder={<TableSkeleton rows={3} />}>
        {(data) => <PartTable reportId={reportId} statements={data} />}
      </Loaded>
    </Section>
  );
}

function PartTable({ reportId, statements: { parts, isAsPosted } }: { reportId: number; statements: Statements }) {
  if (parts.length === 0) return <p className={shared.under}>{t.none}</p>;
  return (
    <>
      {!isAsPosted && <Notice tone="note">{t.rateChanged}</Notice>}
      <PlainTable
        name={t.title}
        head={[t.file, t.kind, { right: t.quantity }, { right: t.amount }, { right: t.usd }, { hidden: t.detail }]}
        isStackable
      >
        <FileRows
          rows={parts.map((part) => ({ ...part, id: part.statementId }))}
          columns={6}
          cells={(part) => <FileAmounts of={part} />}
          detail={(statementId, fileName) => (
            <LineLoader reportId={reportId} statementId={statementId} fileName={fileName} />
          )}
        />
      </PlainTable>
    </>
  );
}

function LineLoader({ reportId, statementId, fileName }: { reportId: number; statementId: number; fileName: string }) {
  const reportLines = useQuery(
    apiQuery(['report', reportId, 'statements', statementId], routes.listReportLines, {
      params: { id: reportId, statement: statementId },
    }),
  );
  const [line, setLine] = useState<number>();
  if (!reportLines.data) return <Loading query={reportLines} placeholder={<TableSkeleton rows={3} />} />;
  const { lines, total } = reportLines.data;
  return (
    <>
      <SourceLines
        lines={lines}
        total={total}
        fileName={fileName}
        lineNumber={(number) => (
          <Button
            variant="subtle"
            size="compact-xs"
            aria-label={t.showLine(formatLineWithin(number), fileName)}
            onClick={() => setLine(number)}
          >
            {formatLine(number)}
          </Button>
        )}
      />
      <Dialog
        isOpen={line !== undefined}
        onClose={() => setLine(undefined)}
        title={line === undefined ? '' : t.lineTitle(formatLineWithin(line), fileName)}
        size="xl"
      >
        {line !== undefined && <FileLine statementId={statementId} line={line} />}
      </Dialog>
    </>
  );
}

function FileLine({ statementId, line }: { statementId: number; line: number }) {
  const cells = useQuery(
    apiQuery(['statement-line', statementId, line], routes.getStatementLine, { params: { id: statementId, line } }),
  );
  if (!cells.data) return <Loading query={cells} placeholder={<TableSkeleton rows={3} />} />;
  return (
    <>
      {cells.data.length === 0 ? (
        <p className={shared.under}>{t.fileGone}</p>
      ) : (
        <Facts facts={cells.data.map(({ name, value }) => ({ label: name || t.lineText, value }))} />
      )}
      <LinkButton to={paths.storeStatement(statementId)} search={{ line: String(line) }} variant="default" mt={14}>
        {t.openStatement}
      </LinkButton>
    </>
  );
}
