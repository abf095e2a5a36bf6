import { Button, Stack, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type Letter, type LetterName, letterKinds } from '@regie/contract/letters.ts';
import { FieldChips, useInsertion } from '#src/ui/field-chips.tsx';
import shared from '#src/ui/shared.module.css';
import { frSettings } from './settings.fr.ts';
import classes from './settings.module.css';
import { TemplateArea } from './template-area.tsx';

const t = frSettings;

/** An e-mail's subject and text, with the placeholders that can be inserted. */
export function LetterField({ name, form }: { name: LetterName; form: UseFormReturnType<Record<LetterName, Letter>> }) {
  const { label, hint, fields, default: original } = letterKinds[name];
  const { subject, text } = form.values[name];
  const setText = (value: string) => form.setFieldValue(`${name}.text`, value);
  const insertion = useInsertion(text, setText);
  const isOriginal = subject === original.subject && text === original.text;
  return (
    <Stack aria-labelledby={name} component="section" gap={12}>
      <div>
        <h2 id={name} className={classes.subtitle}>
          {label}
        </h2>
        <p className={shared.note}>{hint}</p>
      </div>
      <TextInput
        label={t.letterSubject}
        required
        aria-describedby={name}
        {...form.getInputProps(`${name}.subject`)}
        value={subject}
      />
      <TemplateArea
        insertion={insertion}
        label={t.letterText}
        minRows={6}
        maxRows={18}
        aria-describedby={name}
        value={text}
        onChange={setText}
        error={form.errors[`${name}.text`]}
      />
      <div className={classes.letterFoot}>
        <FieldChips className={classes.chips} fields={fields} onInsert={insertion.insert} />
        {!isOriginal && (
          <Button
            variant="subtle"
            onClick={() => form.setValues((values) => ({ ...values, [name]: original }))}
            aria-label={t.restoreLetter(label)}
          >
            {t.restoreText}
          </Button>
        )}
      </div>
    </Stack>
  );
}
