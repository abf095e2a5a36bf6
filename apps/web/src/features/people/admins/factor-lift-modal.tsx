import { Button, Group, Stack, Text } from '@mantine/core';
import type { Admin } from '@regie/contract/routes/staff.ts';
import { routes } from '@regie/contract/routes.ts';
import { useAct } from '#src/lib/act.ts';
import { api } from '#src/lib/api.ts';
import { formatDateTime } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { Message } from '#src/ui/alerts.tsx';
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
  const { act, isBusy, failure, setFailure } = useAct();
  const close = () => {
    setFailure(undefined);
    onClose();
  };
  const run = (route: typeof routes.askFactorLift | typeof routes.cancelFactorLift) =>
    act(async () => {
      try {
        const answer = await api(route, { params: { id: admin.id } });
        close();
        return answer;
      } catch (error) {
        await onRefused();
        throw error;
      }
    });
  const lift = admin.factorLift;
  return (
    <Dialog isOpen={isOpen} onClose={close} title={t.title(`${admin.fname} ${admin.lname}`)}>
      <Stack gap="md">
        {admin.hasFactor && <Message tone="error" text={failure} onDismiss={setFailure} />}
        <Text>
          {!admin.hasFactor
            ? t.gone
            : lift
              ? t.asked(lift.askedBy, formatDateTime(lift.dueAt))
              : t.text(admin.isSignatory)}
        </Text>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close} data-autofocus>
            {fr.common.close}
          </Button>
          {lift && (
            <Button variant="default" loading={isBusy} onClick={() => run(routes.cancelFactorLift)}>
              {t.giveUp}
            </Button>
          )}
          {!lift && admin.hasFactor && (
            <Button color="red.8" loading={isBusy} onClick={() => run(routes.askFactorLift)}>
              {t.ask}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
