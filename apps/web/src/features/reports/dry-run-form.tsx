import { Button, type ButtonProps } from '@mantine/core';
import { type ComponentProps, type FormEvent, type ReactNode, useState } from 'react';
import { useAct } from '#src/lib/act.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import classes from './add-report.module.css';

interface DryRunFormProps<Found> {
  /** The figures of a dry run; undefined when a field is missing. */
  check: (options: { idempotencyKey: string }) => Promise<Found | undefined>;
  /** Why these figures cannot be confirmed here. */
  obstacle: (found: NoInfer<Found>) => string | undefined;
  question: (found: NoInfer<Found>) => Omit<ComponentProps<typeof ConfirmModal>, 'isOpen' | 'onClose'>;
  submit: ButtonProps;
  /** Beside the button. */
  aside?: ReactNode;
  /** Its fields. */
  children: ReactNode;
}

/** Shows the figures of a dry run before the confirmation (product §22.3). */
export function DryRunForm<Found>(props: DryRunFormProps<Found>) {
  const { check, obstacle, question } = props;
  const [found, setFound] = useState<Found>();
  const [isAsking, setIsAsking] = useState(false);
  const { act, isBusy, failure, setFailure } = useAct();
  const why = found && obstacle(found);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setFound(undefined);
    act(async (options) => {
      const data = await check(options);
      setFound(data);
      setIsAsking(data !== undefined && obstacle(data) === undefined);
    });
  };
  return (
    <>
      <form onSubmit={onSubmit} noValidate className={`${classes.form} ${classes.stack}`}>
        <Message tone="error" text={failure} onDismiss={setFailure} />
        {why !== undefined && (
          <Notice tone="info" onDismiss={() => setFound(undefined)}>
            {why}
          </Notice>
        )}
        <div className={classes.grid}>{props.children}</div>
        <div className={classes.row}>
          <Button type="submit" loading={isBusy} {...props.submit} />
          {props.aside}
        </div>
      </form>
      {found && <ConfirmModal isOpen={isAsking} onClose={() => setIsAsking(false)} {...question(found)} />}
    </>
  );
}
