import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { useAct } from '#src/lib/act.ts';
import { Message } from '#src/ui/alerts.tsx';
import { FieldChips, useInsertion } from '#src/ui/field-chips.tsx';
import shared from '#src/ui/shared.module.css';
import { frSettings } from './settings.fr.ts';
import classes from './settings.module.css';
import { TemplateArea } from './template-area.tsx';

const t = frSettings;

interface TemplateFieldProps {
  label: string;
  value: string;
  onChange: (template: string) => void;
  /** The default text to restore; absent when there is none. */
  original: string | undefined;
  restoreLabel: string;
  fields: Record<string, string>;
  fieldsHint: string;
  blocks: Record<string, string>;
  error?: ReactNode;
  onPreview: () => Promise<unknown>;
  secondary?: ReactNode;
  /** The contract as it will read. */
  children: ReactNode;
}

/** A contract's text, with placeholders that can be inserted at the cursor. */
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
          <FieldChips className={classes.chips} fields={props.fields} onInsert={insertion.insert} />
          <h2 className={classes.subtitle}>{t.blocks}</h2>
          <FieldChips className={classes.chips} fields={props.blocks} onInsert={insertion.insert} />
        </div>
      </div>
    </>
  );
}
