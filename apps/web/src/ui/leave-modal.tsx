import { Button, Group, Modal, Text } from '@mantine/core';
import { fr } from '#src/lib/fr.ts';
import type { NavigationConfirmation } from '#src/lib/unsaved-changes.ts';

export function LeaveModal({
  leaving,
  isClosableWithEscape = true,
}: {
  leaving: NavigationConfirmation;
  isClosableWithEscape?: boolean;
}) {
  return (
    <Modal
      opened={leaving.isAsking}
      onClose={leaving.stay}
      closeOnEscape={isClosableWithEscape}
      title={fr.form.unsavedTitle}
      zIndex={400}
      size="md"
    >
      <Text size="md">{fr.form.unsavedText}</Text>
      <Group justify="flex-end" mt="lg" gap="sm">
        <Button variant="default" onClick={leaving.leave}>
          {fr.form.leave}
        </Button>
        <Button data-autofocus onClick={leaving.stay}>
          {fr.form.stay}
        </Button>
      </Group>
    </Modal>
  );
}
