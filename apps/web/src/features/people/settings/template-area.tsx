import { Textarea, type TextareaProps } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Insertion } from '#src/ui/field-chips.tsx';
import classes from './settings.module.css';

type TemplateAreaProps = Omit<TextareaProps, 'value' | 'onChange' | 'error'> & {
  insertion: Insertion;
  value: string;
  onChange: (text: string) => void;
  error: ReactNode;
};

/** A text with placeholders. */
export function TemplateArea({ insertion, value, onChange, error, ...props }: TemplateAreaProps) {
  return (
    <Textarea
      ref={insertion.area}
      required
      spellCheck
      lang="fr"
      classNames={{ input: classes.template }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
      {...props}
    />
  );
}
