import { Button } from '@mantine/core';
import type { StatementDetail } from '@regie/contract/routes/statements.ts';
import { routes } from '@regie/contract/routes.ts';
import { useState } from 'react';
import { useAct } from '#src/lib/act.ts';
import { api } from '#src/lib/api.ts';
import { useCan } from '#src/lib/session.ts';
import { PlainTable } from '#src/ui/plain-table.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { canReadAgain } from './read-again.tsx';
import { ReadingProgress, StatementBadge, StatementLink } from './statement-labels.tsx';
import { frStatements } from './statements.fr.ts';

export function MembersSection({ members }: Pick<StatementDetail, 'members'>) {
  const t = frStatements.members;
  return (
    <Section title={t.title}>
      {members.length === 0 ? (
        <p className={shared.under}>{t.none}</p>
      ) : (
        <PlainTable name={t.title} head={[t.file, frStatements.column.state]}>
          <tbody>
            {members.map((member) => (
              <tr key={member.id}>
                <td>
                  <StatementLink id={member.id} fileName={member.fileName} />
                </td>
                <td data-short>
                  <StatementBadge state={member.status} />
                  <ReadingProgress statement={member} />
                </td>
              </tr>
            ))}
          </tbody>
        </PlainTable>
      )}
    </Section>
  );
}

interface LeftOutProps {
  statement: StatementDetail;
  onChooseSheets: () => void;
  onFailure: (text: string | undefined) => void;
}

export function LeftOutSection({ statement, onChooseSheets, onFailure }: LeftOutProps) {
  const { column, leftOut: t } = frStatements;
  const can = useCan();
  const { id, status, leftOut } = statement;
  const { act, isBusy } = useAct({ onFailure });
  const [reading, setReading] = useState<string>();
  const read = (name: string) => {
    setReading(name);
    act((options) => api(routes.readStatementMember, { params: { id }, body: { name }, ...options }));
  };
  if (leftOut.length === 0) return null;
  const canEdit = can('edit_reports');
  const isArchive = status === 'unpacked';
  const canChoose = canEdit && !isArchive && canReadAgain(statement) && leftOut.some(({ canRead }) => canRead);
  const hasActions = canEdit && isArchive;
  return (
    <Section
      title={t.title}
      actions={
        canChoose && (
          <Button size="compact-sm" variant="default" onClick={onChooseSheets}>
            {t.chooseSheets}
          </Button>
        )
      }
    >
      <PlainTable
        name={t.title}
        head={[t.name, column.reason, ...(hasActions ? [{ hidden: t.action }] : [])]}
        isStackable
      >
        <tbody>
          {leftOut.map(({ name, reason, canRead }) => (
            <tr key={name}>
              <td>{name}</td>
              <td>{reason}</td>
              {hasActions && (
                <td data-align="right">
                  {canRead && (
                    <Button
                      size="compact-sm"
                      variant="default"
                      aria-label={t.readOf(name)}
                      loading={isBusy && reading === name}
                      disabled={isBusy}
                      onClick={() => read(name)}
                    >
                      {t.read}
                    </Button>
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </PlainTable>
    </Section>
  );
}
