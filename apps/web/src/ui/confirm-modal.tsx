import { Button, Group, Stack, Text } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef } from 'react';
import { type Action, useAct } from '#src/lib/act.ts';
import type { DialogState } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { Notice } from './alerts.tsx';
import { CancelButton, Dialog } from './dialog.tsx';

interface ConfirmModalProps extends DialogState {
  name: ReactNode;
  consequence: ReactNode;
  verb: string;
  isSafe?: boolean;
  onConfirm: Action;
  content?: unknown;
  isLoading?: boolean;
  /** A refusal has shown that nothing is left to confirm: only the message stays. */
  isOver?: boolean;
  children?: ReactNode;
}

/** 'Vous êtes sure?' before a destructive or irreversible action; focus is on "Annuler". */
export function ConfirmModal(props: ConfirmModalProps) {
  const { run, isBusy, failure, setFailure } = useAct({ reloads: 'form' });
  const queryClient = useQueryClient();
  // The cause of a refusal may have changed: after the error was read, the page behind the dialog reloads.
  const wasRefused = useRef(false);
  const close = () => {
    if (isBusy) return;
    setFailure(undefined);
    if (wasRefused.current) void queryClient.invalidateQueries();
    wasRefused.current = false;
    props.onClose();
  };
  const confirm = async () => {
    if (await run(props.onConfirm, props.content ?? '')) props.onClose();
    else wasRefused.current = true;
  };
  return (
    <Dialog isOpen={props.isOpen} onClose={close} title={messages.confirm} size="md">
      <Stack gap="sm">
        {failure && (
          <Notice tone="error" onDismiss={props.isOver ? undefined : () => setFailure(undefined)}>
            {failure}
          </Notice>
        )}
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {props.name}
        </Text>
        {!props.isOver && (
          <Text component="div" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {props.consequence}
          </Text>
        )}
        {props.children}
        <Group justify="flex-end" gap="sm" mt="sm">
          {props.isOver ? (
            <Button variant="default" onClick={close}>
              {fr.common.close}
            </Button>
          ) : (
            <>
              <CancelButton disabled={isBusy} data-autofocus />
              <Button
                color={props.isSafe ? undefined : 'red.8'}
                onClick={() => void confirm()}
                loading={isBusy}
                disabled={props.isLoading}
              >
                {props.verb}
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
