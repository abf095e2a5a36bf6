import { Button, Group, Stack, Text } from '@mantine/core';
import type { Admin } from '@regie/contract/routes/staff.ts';
import { routes } from '@regie/contract/routes.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiAnswer, api, errorSentence } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { formatDateTime } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { Dialog } from '#src/ui/dialog.tsx';
import { frAdmins } from './admins.fr.ts';

const t = frAdmins.lift;

interface FactorLiftModalProps {
  admin: Admin;
  isOpen: boolean;
  onClose: () => void;
  /** Reloads the admin: the next click confirms the shown state. */
  onRefused: () => Promise<void>;
}

/** Lifts a colleague's lost second factor: requests it or cancels the request; two signatures lift it at once. */
export function FactorLiftModal({ admin, isOpen, onClose, onRefused }: FactorLiftModalProps) {
  const queryClient = useQueryClient();
  const [failure, setFailure] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  const params = { id: admin.id };
  const close = () => {
    setFailure(undefined);
    onClose();
  };
  const act = async (call: () => Promise<ApiAnswer<unknown>>) => {
    setIsBusy(true);
    setFailure(undefined);
    try {
      flashSuccess((await call()).message);
      close();
    } catch (error) {
      setFailure(errorSentence(error));
      await onRefused();
    }
    void queryClient.invalidateQueries();
    setIsBusy(false);
  };
  const lift = admin.factorLift;
  return (
    <Dialog isOpen={isOpen} onClose={close} title={t.title(`${admin.fname} ${admin.lname}`)}>
      <Stack gap="md">
        {failure && admin.hasFactor && (
          <Notice tone="error" onDismiss={() => setFailure(undefined)}>
            {failure}
          </Notice>
        )}
        <Text>{!admin.hasFactor ? t.gone : lift ? t.asked(lift.askedBy, formatDateTime(lift.dueAt)) : t.text}</Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close} data-autofocus>
            {fr.common.close}
          </Button>
          {lift && (
            <Button
              variant="default"
              loading={isBusy}
              onClick={() => void act(() => api(routes.cancelFactorLift, { params }))}
            >
              {t.giveUp}
            </Button>
          )}
          {!lift && admin.hasFactor && (
            <Button
              color="red.8"
              loading={isBusy}
              onClick={() => void act(() => api(routes.askFactorLift, { params }))}
            >
              {t.ask}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
