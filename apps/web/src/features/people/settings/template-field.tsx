import { Button, Group, Stack, Textarea, type TextareaProps, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { type Letter, type LetterName, letterKinds } from '@regie/contract/letters.ts';
import type { ReactNode } from 'react';
import { useAct } from '#src/lib/act.ts';
import { Message } from '#src/ui/alerts.tsx';
import { FieldChips, type Insertion, useInsertion } from '#src/ui/field-chips.tsx';
import shared from '#src/ui/shared.module.css';
import { frSettings } from './settings.fr.ts';
import classes from './settings.module.css';

const t = frSettings;

type TemplateAreaProps = Omit<TextareaProps, 'value' | 'onChange' | 'error'> & {
  insertion: Insertion;
  value: string;
  onChange: (text: string) => void;
  error: ReactNode;
};

function TemplateArea({ insertion, value, onChange, error, ...props }: TemplateAreaProps) {
  return (
    <Textarea
      ref={insertion.area}
      required
      spellCheck
      lang="fr"
      styles={{ input: { lineHeight: 1.5 } }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      {...props}
    />
  );
}

interface TemplateFieldProps {
  label: string;
  value: string;
  onChange: (template: string) => void;
  original: string | undefined;
  restoreLabel: string;
  fields: Record<string, string>;
  fieldsHint: string;
  blocks: Record<string, string>;
  error?: ReactNode;
  onPreview: () => Promise<unknown>;
  secondary?: ReactNode;
  children: ReactNode;
}

export function TemplateField({ value, onChange, original, ...props }: TemplateFieldProps) {
  const insertion = useInsertion(value, onChange);
  const { act, isBusy, failure, setFailure } = useAct({ reloads: 'nothing' });
  return (
    <>
      <Message tone="error" text={failure} onDismiss={setFailure} />
      <div className={classes.text}>
        <TemplateArea
          insertion={insertion}
          label={props.label}
          description={t.templateHint}
          minRows={14}
          maxRows={18}
          value={value}
          onChange={onChange}
          error={props.error}
        />
        <Group gap={8}>
          <Button variant="default" loading={isBusy} onClick={() => act(props.onPreview)}>
            {t.preview}
          </Button>
          {original !== undefined && value !== original && (
            <Button variant="subtle" onClick={() => onChange(original)}>
              {props.restoreLabel}
            </Button>
          )}
          {props.secondary}
        </Group>
        <div className={classes.preview}>{props.children}</div>
        <div>
          <h2 className={classes.subtitle}>{t.fields}</h2>
          <p className={shared.note}>{props.fieldsHint}</p>
          <FieldChips fields={props.fields} onInsert={insertion.insert} />
          <h2 className={classes.subtitle}>{t.blocks}</h2>
          <FieldChips fields={props.blocks} onInsert={insertion.insert} />
        </div>
      </div>
    </>
  );
}

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
      <Group justify="space-between" gap={8} mt={-8}>
        <FieldChips fields={fields} onInsert={insertion.insert} />
        {!isOriginal && (
          <Button
            variant="subtle"
            onClick={() => form.setValues((values) => ({ ...values, [name]: original }))}
            aria-label={t.restoreLetter(label)}
          >
            {t.restoreText}
          </Button>
        )}
      </Group>
    </Stack>
  );
}
