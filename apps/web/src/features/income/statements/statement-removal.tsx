import type { StatementDetail } from '@regie/contract/routes/statements.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatMoney } from '@regie/values/formats.ts';
import { useQuery } from '@tanstack/react-query';
import { frRecords } from '#src/domain/records.fr.ts';
import { api, apiQuery, errorSentence } from '#src/lib/api.ts';
import type { DialogState } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { isBeingRead } from './statement-labels.tsx';
import { statementQuery } from './statements.api.ts';
import { frStatements } from './statements.fr.ts';

const t = frStatements.page;

type DialogProps = { statement: StatementDetail } & DialogState;

export function RemoveStatement({ statement, ...dialog }: DialogProps) {
  const { id, status, amountEur } = statement;
  const isReading = isBeingRead(status);
  return (
    <ConfirmModal
      {...dialog}
      name={statement.fileName}
      consequence={
        isReading
          ? t.stopConsequence
          : status === 'summary'
            ? frStatements.summary.removeConsequence
            : status === 'unpacked'
              ? frStatements.members.removeConsequence
              : t.removeConsequence(
                  fr.list.rows(statement.countedRows),
                  amountEur === null ? undefined : formatMoney(amountEur, 'EUR'),
                )
      }
      verb={isReading ? t.stop : t.remove}
      onConfirm={(options) => api(routes.deleteStatement, { params: { id }, ...options })}
    />
  );
}

export function ReplaceStatement({ statement, ...dialog }: DialogProps) {
  const { id, replaces, contains } = statement;
  const former = contains ? { replaces: contains.id } : {};
  const consequence = useQuery({
    ...apiQuery(['store-statement', id, 'replace', contains?.id], routes.replaceStatement, {
      params: { id },
      body: { dryRun: true, ...former },
    }),
    enabled: dialog.isOpen,
    staleTime: 0,
    gcTime: 0,
  });
  const old = contains ?? replaces;
  const amountEur = useQuery({ ...statementQuery(old?.id ?? 0), enabled: dialog.isOpen && old !== null }).data
    ?.amountEur;
  const effect = consequence.data;
  return (
    <ConfirmModal
      {...dialog}
      name={t.replaceName(old?.fileName ?? '', typeof amountEur === 'number' ? formatMoney(amountEur, 'EUR') : '')}
      consequence={
        consequence.isError ? (
          <Notice tone="error">{errorSentence(consequence.error)}</Notice>
        ) : effect ? (
          t.replaceConsequence(effect.imports, frRecords.reports(effect.reports), formatMoney(effect.amountEur, 'EUR'))
        ) : (
          t.loadingConsequence
        )
      }
      verb={t.replace}
      isLoading={!effect}
      onConfirm={(options) =>
        api(routes.replaceStatement, { params: { id }, body: { dryRun: false, ...former }, ...options })
      }
    />
  );
}
