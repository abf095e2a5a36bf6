import { Button, Group, Stack, Text } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import { ApiError, errorSentence } from '#src/lib/api.ts';
import { flashAnswer } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { useIdempotencyKey } from '#src/lib/idempotency-key.ts';
import { Notice } from './alerts.tsx';
import { CancelButton, Dialog } from './dialog.tsx';

interface ConfirmModalProps {
  isOpen: boolean;
  onClose: () => void;
  /** The record's name. */
  name: ReactNode;
  /** What will happen, with figures if there are any. */
  consequence: ReactNode;
  /** The button's label: the verb and its object. */
  verb: string;
  /** The action is not destructive: the button is not red. */
  isSafe?: boolean;
  /**
   * Closes on success, and shows what it returns (`flashAnswer`); an error is shown and keeps it open. The key is the same until success: repeating a call whose
   * response was lost has no further effect.
   */
  onConfirm: (options: { idempotencyKey: string }) => Promise<unknown>;
  /** True while the consequence is loading. */
  isLoading?: boolean;
  /** A refusal has shown that nothing is left to confirm: only the message stays. */
  isOver?: boolean;
  children?: ReactNode;
}

/** 'Vous êtes sure?' before a destructive or irreversible action; focus is on "Annuler". */
export function ConfirmModal(props: ConfirmModalProps) {
  const [isBusy, setIsBusy] = useState(false);
  const [failure, setFailure] = useState<string>();
  const queryClient = useQueryClient();
  // The cause of a refusal may have changed: after the error was read, the page behind the dialog reloads.
  const wasRefused = useRef(false);
  const idempotency = useIdempotencyKey();
  const close = () => {
    if (isBusy) return;
    setFailure(undefined);
    if (wasRefused.current) void queryClient.invalidateQueries();
    wasRefused.current = false;
    props.onClose();
  };
  const confirm = async () => {
    setIsBusy(true);
    setFailure(undefined);
    try {
      flashAnswer(await props.onConfirm({ idempotencyKey: idempotency.keyOf('') }));
      idempotency.forget();
      void queryClient.invalidateQueries();
      props.onClose();
    } catch (error) {
      wasRefused.current = true;
      setFailure(errorSentence(error));
      if (error instanceof ApiError && error.code === 'conflict') {
        // The next click confirms the shown state, so it must be the current one.
        idempotency.forget();
        void queryClient.invalidateQueries();
      }
    } finally {
      setIsBusy(false);
    }
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
                {...(props.isSafe ? {} : { color: 'red.8' })}
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
