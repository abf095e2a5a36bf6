import { Button } from '@mantine/core';
import { routes } from '@regie/contract/routes.ts';
import { api } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { Form } from '#src/ui/form.tsx';
import shared from '#src/ui/shared.module.css';
import { frAi } from './ai.fr.ts';
import { AiField } from './ai-field.tsx';

const names = ['recordingAi', 'compositionAi', 'coverAi'] as const;

/** Declares the part of AI of all tracks and covers of a release or an account that have no declaration yet. */
export function DeclareAi({ of }: { of: { userId: number } | { libraryId: number } }) {
  const { ask, dialog } = useAsked<void>();
  return (
    <>
      <Button variant="default" onClick={() => ask()}>
        {frAi.declare}
      </Button>
      <Dialog {...dialog} title={frAi.title}>
        <Form
          schema={routes.declareAi.body}
          initialValues={{ recordingAi: '', compositionAi: '', coverAi: '' }}
          toBody={(values) => ({ ...of, ...Object.fromEntries(names.map((name) => [name, values[name] || null])) })}
          submit={(body, { idempotencyKey }) => api(routes.declareAi, { body, idempotencyKey })}
          onSuccess={({ data }) => {
            flashSuccess(frAi.done(data.tracks, data.covers));
            dialog.onClose();
          }}
          submitLabel={frAi.declare}
          secondary={<CancelButton />}
        >
          {(form) => (
            <>
              <p className={shared.note}>{'userId' in of ? frAi.ofAccount : frAi.ofRelease}</p>
              {names.map((name) => (
                <AiField key={name} label={frAi[name]} {...form.getInputProps(name)} />
              ))}
            </>
          )}
        </Form>
      </Dialog>
    </>
  );
}
