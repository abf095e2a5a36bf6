import { Box, Group } from '@mantine/core';
import type { CodeEdit } from '@regie/contract/routes/tools.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { frScreens } from '#src/app/screens.fr.ts';
import { useAct } from '#src/lib/act.ts';
import { type ApiData, api } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { type ListFilter, selectFilter } from '#src/ui/list/list-filters.tsx';
import { ListPage } from '#src/ui/list/list-page.tsx';
import { dayColumn, textColumn } from '#src/ui/list/value-columns.tsx';
import { ReasonList } from '#src/ui/reason-list.tsx';
import { SmallButton } from '#src/ui/small-button.tsx';
import { StatusBadge } from '#src/ui/status-badge.tsx';
import { downloadUnsaved } from './bulk-columns.ts';
import { BulkEdit } from './bulk-edit.tsx';
import { frTools } from './tools.fr.ts';

const t = frTools.edits;
const nameOf = (edit: CodeEdit) => (edit.source === 'assigned' ? t.assigned : (edit.fileName ?? t.call));
const isLive = (edit: CodeEdit) => edit.reversedAt === null && edit.saved > 0;
const stateOf = (edit: CodeEdit) =>
  edit.reversedAt === null ? (edit.saved > 0 ? t.live : t.nothing) : t.reversed(t.restored(edit.reversed ?? 0));

const columns: ListColumn<CodeEdit>[] = [
  { key: 'file', header: t.file, cell: nameOf, csv: nameOf },
  textColumn({ key: 'kind', header: t.kind, csv: (edit) => frTools.bulk.kinds[edit.kind] }),
  dayColumn({ key: 'date', header: t.date, sort: 'date', type: 'moment', csv: (edit) => edit.createdAt }),
  { key: 'by', header: t.by, isSecondary: true, cell: (edit) => edit.createdBy, csv: (edit) => edit.createdBy },
  { key: 'saved', header: t.saved, align: 'right', cell: (edit) => edit.saved, csv: (edit) => edit.saved },
  { key: 'unsaved', header: t.unsaved, align: 'right', cell: (edit) => edit.unsaved, csv: (edit) => edit.unsaved },
  {
    key: 'state',
    header: t.state,
    cell: (edit) => <StatusBadge tone={isLive(edit) ? 'success' : 'neutral'}>{stateOf(edit)}</StatusBadge>,
    csv: stateOf,
  },
];

const filters: ListFilter[] = [selectFilter(t.kind, 'kind', frTools.bulk.kinds, ['isrc', 'barcode'])];

type Outcome = ApiData<typeof routes.reverseCodeEdit> & { message: string };

/** Bulk edits of codes by file, and the earlier ones, which can be undone (product §22.13). */
export default function BulkEditPage() {
  const { subject: selected, ask, dialog } = useAsked<CodeEdit>();
  const [outcome, setOutcome] = useState<Outcome>();
  const { act, failure, setFailure } = useAct({ reloads: 'nothing' });
  const reverse = async (edit: CodeEdit, options: { idempotencyKey: string }) => {
    const { data, message } = await api(routes.reverseCodeEdit, { params: { id: edit.id }, ...options });
    setOutcome({ ...data, message });
  };
  const download = async (edit: CodeEdit) => {
    const { data } = await api(routes.listUnsavedCodes, { params: { id: edit.id } });
    if (data.length === 0) return t.unsavedUnknown;
    return downloadUnsaved(edit.kind, data);
  };
  return (
    <>
      <ListPage
        title={frScreens.tools.bulkEdit}
        route={routes.listCodeEdits}
        columns={columns}
        rowName={nameOf}
        searchPlaceholder={t.search}
        filters={filters}
        defaultSort={{ key: 'date', order: 'desc' }}
        exportName={t.exportName}
        empty={{ title: t.emptyTitle, text: t.emptyText }}
        rowActions={(edit) => (
          <Group gap={6} wrap="nowrap" justify="flex-end">
            {edit.unsaved > 0 && (
              <SmallButton
                icon={IconDownload}
                aria-label={t.unsavedName(nameOf(edit))}
                onClick={() => act(() => download(edit))}
              >
                {t.unsavedShort}
              </SmallButton>
            )}
            {isLive(edit) && (
              <SmallButton aria-label={t.reverseName(nameOf(edit))} onClick={() => ask(edit)}>
                {t.reverseShort}
              </SmallButton>
            )}
          </Group>
        )}
        intro={
          <>
            <BulkEdit />
            <Box component="h2" mt={32} mb={12} pt={24} fz={16} fw={600} style={{ borderTop: '1px solid var(--line)' }}>
              {t.title}
            </Box>
            <Message tone="error" text={failure} onDismiss={setFailure} />
            {outcome && (
              <Notice tone="success" onDismiss={() => setOutcome(undefined)}>
                {t.done(outcome.message, t.restored(outcome.reversed))}
                {outcome.kept.length > 0 && (
                  <>
                    . {t.kept}
                    <ReasonList items={outcome.kept.map(({ id, title, reason }) => ({ id, name: title, reason }))} />
                  </>
                )}
              </Notice>
            )}
          </>
        }
      />
      <ConfirmModal
        {...dialog}
        name={selected ? nameOf(selected) : ''}
        consequence={t.consequence(t.back(selected?.saved ?? 0))}
        verb={t.reverse}
        isSafe
        onConfirm={async (options) => {
          if (selected) await reverse(selected, options);
        }}
      />
    </>
  );
}
