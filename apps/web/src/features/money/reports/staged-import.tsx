import { Button } from '@mantine/core';
import type { Import } from '@regie/contract/routes/reports.ts';
import { routes } from '@regie/contract/routes.ts';
import { formatInteger, formatMonth } from '@regie/values/formats.ts';
import { IconCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { ApiError, api } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { Facts } from '#src/ui/record-page.tsx';
import { RemoveButton } from '#src/ui/remove-button.tsx';
import { importName, isStaged } from './import-state.tsx';
import { frReports } from './reports.fr.ts';

const t = frReports.imports;

export type StagedQuestion = 'post' | 'discard';

const sentBatches = (item: Import) =>
  t.batchesOf(formatInteger(item.batches), formatInteger(item.batchesExpected ?? item.batches));

export function StagedActions({ item, onAsk }: { item: Import; onAsk: (question: StagedQuestion) => void }) {
  if (!isStaged(item)) return null;
  return (
    <>
      <Button leftSection={buttonIcon(IconCheck)} onClick={() => onAsk('post')}>
        {t.finish}
      </Button>
      {item.postedAt === null && <RemoveButton onClick={() => onAsk('discard')}>{fr.common.remove}</RemoveButton>}
    </>
  );
}

interface StagedDialogProps {
  item: Import;
  question: StagedQuestion | undefined;
  onClose: () => void;
}

export function StagedDialog({ item, question, onClose }: StagedDialogProps) {
  const name = `${importName(item)}, ${formatMonth(item.month)}`;
  // The refusal names rows that another import has: the next click confirms them.
  const [again, setAgain] = useState(false);
  const post = async (options: { idempotencyKey: string }) => {
    const { data } = await api(routes.postImport, {
      params: { id: item.id },
      body: { rows: item.stagedRows, again },
      ...options,
    }).catch((error: unknown) => {
      setAgain(error instanceof ApiError && error.errors.again !== undefined);
      throw error;
    });
    const message = t.finished(fr.list.rows(data.saved));
    return data.dropped > 0 ? `${message} ${frReports.import.dropped(fr.list.rows(data.dropped))}` : message;
  };
  return (
    <>
      <ConfirmModal
        isOpen={question === 'post'}
        onClose={() => {
          setAgain(false);
          onClose();
        }}
        name={name}
        consequence={t.finishConsequence(fr.list.rows(item.stagedRows))}
        verb={again ? t.finishAgain : t.finishVerb(fr.list.rows(item.stagedRows))}
        isSafe={!again}
        onConfirm={post}
        content={[item.stagedRows, again]}
      >
        <Facts
          facts={[
            { label: t.batches, value: sentBatches(item) },
            { label: t.stagedRows, value: formatInteger(item.stagedRows) },
            { label: t.column.unsaved, value: formatInteger(item.unsaved) },
            { label: t.receivedAt, value: <DateText ms={item.receivedAt} hasTime /> },
          ]}
        />
      </ConfirmModal>
      <ConfirmModal
        isOpen={question === 'discard'}
        onClose={onClose}
        name={name}
        consequence={t.discardConsequence(fr.list.rows(item.stagedRows))}
        verb={t.discardVerb}
        onConfirm={(options) => api(routes.discardImport, { params: { id: item.id }, ...options })}
      />
    </>
  );
}
