import { Button } from '@mantine/core';
import type { ReportStatements as Statements } from '@regie/contract/routes/reports.ts';
import { routes } from '@regie/contract/routes.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { formatLine, formatLineWithin } from '#src/domain/tracks/line-names.ts';
import { frSourceLines } from '#src/domain/tracks/source-lines.fr.ts';
import { DetailButton, FileAmounts, SourceLines } from '#src/domain/tracks/source-lines.tsx';
import { apiQuery } from '#src/lib/api.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { Loaded, Loading } from '#src/ui/loaded.tsx';
import { PlainTable, TableSkeleton } from '#src/ui/plain-table.tsx';
import { Facts, Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';

const t = frSourceLines;

type Part = Statements['parts'][number];

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

const partKey = (part: Part) => `${part.statementId} ${part.month} ${part.kind} ${part.currency}`;

function PartTable({ reportId, statements }: { reportId: number; statements: Statements }) {
  // A statement has one row per kind: its stores are shown under the last one.
  const [opened, setOpened] = useState<number>();
  if (statements.parts.length === 0) return <p className={shared.under}>{t.none}</p>;
  const parts = statements.parts.toSorted((a, b) => {
    const [first, second] = [a, b].map(({ statementId }) =>
      statements.parts.findIndex((part) => part.statementId === statementId),
    );
    return (first ?? 0) - (second ?? 0);
  });
  return (
    <>
      {!statements.isAsPosted && <Notice tone="note">{t.rateChanged}</Notice>}
      <PlainTable
        name={t.title}
        head={[t.file, t.kind, { right: t.quantity }, { right: t.amount }, { right: t.usd }, { hidden: t.detail }]}
        isStackable
      >
        <tbody>
          {parts.map((part, index) => {
            const isFirst = parts[index - 1]?.statementId !== part.statementId;
            const isLast = parts[index + 1]?.statementId !== part.statementId;
            const isOpen = opened === part.statementId;
            return (
              <Fragment key={partKey(part)}>
                <tr>
                  <td>
                    {isFirst && (
                      <>
                        <Link className={shared.link} to={paths.storeStatement(part.statementId)}>
                          {part.fileName}
                        </Link>
                        <span className={shared.under}>{part.source}</span>
                      </>
                    )}
                  </td>
                  <FileAmounts of={part} />
                  <td data-align="right">
                    {isFirst && (
                      <DetailButton
                        of={part.fileName}
                        isOpen={isOpen}
                        onClick={() => setOpened(isOpen ? undefined : part.statementId)}
                      />
                    )}
                  </td>
                </tr>
                {isLast && isOpen && (
                  <tr>
                    <td colSpan={6}>
                      <LineLoader reportId={reportId} statementId={part.statementId} fileName={part.fileName} />
                    </td>
                  </tr>
                )}
              </Fragment>
            );
          })}
        </tbody>
      </PlainTable>
    </>
  );
}

interface StatementProps {
  statementId: number;
  fileName: string;
}

function LineLoader({ reportId, statementId, fileName }: StatementProps & { reportId: number }) {
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
