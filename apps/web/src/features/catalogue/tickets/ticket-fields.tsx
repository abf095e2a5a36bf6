import { Checkbox, SimpleGrid, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { completeUrl } from '@regie/contract/web-link.ts';
import { frTickets } from './tickets.fr.ts';
import classes from './tickets.module.css';

const t = frTickets.field;

export interface TicketValues extends Record<string, unknown> {
  url: string;
  startAt: string;
  endAt: string;
  isClaimed: boolean;
  isProtected: boolean;
}

/** The fields shared by new and existing tickets (product §22.14). */
export function TicketFields<Values extends TicketValues>({ form: given }: { form: UseFormReturnType<Values> }) {
  // The type only names the shared fields.
  const form: Pick<UseFormReturnType<Values>, 'getInputProps'> = given;
  const url = form.getInputProps('url');
  return (
    <>
      <SimpleGrid minColWidth="min(180px, 100%)" autoFlow="auto-fit" spacing={16} verticalSpacing={12}>
        <TextInput
          label={t.startAt}
          description={t.timingHint}
          placeholder="01:23"
          {...form.getInputProps('startAt')}
        />
        <TextInput label={t.endAt} description={t.timingHint} placeholder="47:56" {...form.getInputProps('endAt')} />
      </SimpleGrid>
      <Textarea
        label={t.url}
        description={t.urlHint}
        required
        minRows={2}
        maxRows={5}
        spellCheck={false}
        inputMode="url"
        {...url}
        onBlur={() => {
          const completed = completeUrl(given.values.url);
          if (completed !== given.values.url) url.onChange(completed);
        }}
      />
      <fieldset className={classes.boxes}>
        <legend>{t.agreements}</legend>
        <Checkbox label={t.isClaimed} {...form.getInputProps('isClaimed', { type: 'checkbox' })} />
        <Checkbox label={t.isProtected} {...form.getInputProps('isProtected', { type: 'checkbox' })} />
      </fieldset>
    </>
  );
}
