import { Button, Modal } from '@mantine/core';
import type { PresetRow } from '@regie/contract/routes/statements.ts';
import { routes } from '@regie/contract/routes.ts';
import { IconTemplate } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '#src/lib/api.ts';
import { useCan } from '#src/lib/session.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { Loading } from '#src/ui/loaded.tsx';
import { PlainTable, TableSkeleton } from '#src/ui/plain-table.tsx';
import { RemoveIcon } from '#src/ui/remove-button.tsx';
import shared from '#src/ui/shared.module.css';
import { PresetBadge } from './statement-labels.tsx';
import { presetsQuery } from './statements.api.ts';
import { frStatements } from './statements.fr.ts';

const { column, presets: t } = frStatements;

export function PresetList() {
  const [isOpen, setIsOpen] = useState(false);
  const [removed, setRemoved] = useState<PresetRow>();
  return (
    <>
      <Button variant="default" leftSection={buttonIcon(IconTemplate)} onClick={() => setIsOpen(true)}>
        {t.open}
      </Button>
      <Modal opened={isOpen && removed === undefined} onClose={() => setIsOpen(false)} title={t.title} size="xl">
        <Presets onRemove={setRemoved} />
      </Modal>
      {removed && (
        <ConfirmModal
          isOpen
          onClose={() => setRemoved(undefined)}
          name={removed.name}
          consequence={t.consequence}
          verb={t.remove}
          onConfirm={() => api(routes.deletePreset, { params: { id: removed.id ?? 0 } })}
        />
      )}
    </>
  );
}

function Presets({ onRemove }: { onRemove: (preset: PresetRow) => void }) {
  const can = useCan();
  const presets = useQuery(presetsQuery);
  if (!presets.data) return <Loading query={presets} placeholder={<TableSkeleton rows={8} />} />;
  return (
    <>
      <p className={shared.under}>{t.text}</p>
      <PlainTable name={t.title} head={[column.source, column.preset, column.state, { hidden: t.remove }]} isStackable>
        <tbody>
          {presets.data.map((preset) => (
            <tr key={preset.key}>
              <td>{preset.source}</td>
              <td>{preset.name}</td>
              <td>
                <PresetBadge preset={preset} />
              </td>
              <td data-align="right">
                {preset.id !== null && can('edit_reports') && (
                  <RemoveIcon label={t.removeOf(preset.name)} onClick={() => onRemove(preset)} />
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
    </>
  );
}
