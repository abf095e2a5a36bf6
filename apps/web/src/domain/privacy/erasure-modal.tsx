import { Stack, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { DialogState } from '#src/lib/asked.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { frPrivacy } from './privacy.fr.ts';

interface ErasureModalProps extends DialogState {
  name: string;
  consequence: ReactNode;
  obstacles?: readonly string[];
  isLoading?: boolean;
  erase: (reason: string, options: { idempotencyKey: string }) => Promise<unknown>;
}

/** Erases personal data after a confirmation with the reason for the journal (product §40.3). */
export function ErasureModal({ obstacles = [], isLoading = false, erase, ...props }: ErasureModalProps) {
  const [reason, setReason] = useState('');
  useUnsavedChanges(props.isOpen && reason !== '');
  const isBlocked = obstacles.length > 0;
  return (
    <ConfirmModal
      {...props}
      verb={frPrivacy.verb}
      isLoading={isLoading || isBlocked || reason.trim().length < 3}
      onConfirm={async (options) => {
        const answer = await erase(reason.trim(), options);
        setReason('');
        return answer;
      }}
    >
      {isBlocked ? (
        <Notice tone="error">
          {frPrivacy.obstacles}
          <Stack component="ul" gap={4} m={0} mt={4} pl={18}>
            {obstacles.map((obstacle) => (
              <li key={obstacle}>{obstacle}</li>
            ))}
          </Stack>
        </Notice>
      ) : (
        <TextInput
          label={frPrivacy.reason}
          description={frPrivacy.reasonHint}
          required
          maxLength={200}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
      )}
    </ConfirmModal>
  );
}
