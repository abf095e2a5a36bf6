import { Button, type ButtonProps, Group, SimpleGrid, Stack } from '@mantine/core';
import { type ComponentProps, type FormEvent, type ReactNode, useState } from 'react';
import { useAct } from '#src/lib/act.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';

interface DryRunFormProps<Outcome> {
  check: (options: { idempotencyKey: string }) => Promise<Outcome | undefined>;
  obstacle: (outcome: NoInfer<Outcome>) => string | undefined;
  question: (outcome: NoInfer<Outcome>) => Omit<ComponentProps<typeof ConfirmModal>, 'isOpen' | 'onClose'>;
  submit: ButtonProps;
  aside?: ReactNode;
  children: ReactNode;
}

/** Shows the figures of a dry run before the confirmation (product §22.3). */
export function DryRunForm<Outcome>(props: DryRunFormProps<Outcome>) {
  const { check, obstacle, question } = props;
  const [outcome, setOutcome] = useState<Outcome>();
  const [isAsking, setIsAsking] = useState(false);
  const { act, isBusy, failure, setFailure } = useAct({ reloads: 'nothing' });
  const why = outcome && obstacle(outcome);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setOutcome(undefined);
    act(async (options) => {
      const data = await check(options);
      setOutcome(data);
      setIsAsking(data !== undefined && obstacle(data) === undefined);
    });
  };
  return (
    <>
      <form onSubmit={onSubmit} noValidate>
        <Stack gap={20} maw={760}>
          <Message text={failure} onDismiss={setFailure} />
          {why !== undefined && (
            <Notice tone="info" onDismiss={() => setOutcome(undefined)}>
              {why}
            </Notice>
          )}
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing={16} style={{ alignItems: 'start' }}>
            {props.children}
          </SimpleGrid>
          <Group gap="8px 16px">
            <Button type="submit" loading={isBusy} {...props.submit} />
            {props.aside}
          </Group>
        </Stack>
      </form>
      {outcome && <ConfirmModal isOpen={isAsking} onClose={() => setIsAsking(false)} {...question(outcome)} />}
    </>
  );
}
