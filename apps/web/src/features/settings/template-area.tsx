import { Textarea, type TextareaProps } from '@mantine/core';
import { type ReactNode, type RefObject, useRef } from 'react';
import { frSettings } from './settings.fr.ts';
import classes from './settings.module.css';

const t = frSettings;

interface Insertion {
  area: RefObject<HTMLTextAreaElement | null>;
  insert: (field: string) => void;
}

/** Inserts `{field}` at the cursor of a text, and moves the cursor behind it. */
export function useInsertion(value: string, onChange: (text: string) => void): Insertion {
  const area = useRef<HTMLTextAreaElement>(null);
  const insert = (field: string) => {
    const text = `{${field}}`;
    const { selectionStart = value.length, selectionEnd = value.length } = area.current ?? {};
    onChange(value.slice(0, selectionStart) + text + value.slice(selectionEnd));
    const caret = selectionStart + text.length;
    // After the new text is rendered.
    requestAnimationFrame(() => {
      area.current?.focus();
      area.current?.setSelectionRange(caret, caret);
    });
  };
  return { area, insert };
}

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

/** The placeholders that can be inserted, each with its meaning. */
export function FieldChips({ fields, onInsert }: { fields: Record<string, string>; onInsert: Insertion['insert'] }) {
  return (
    <ul className={classes.chips}>
      {Object.entries(fields).map(([name, meaning]) => (
        <li key={name}>
          <button
            type="button"
            className={classes.chip}
            title={meaning}
            aria-label={t.insert(name, meaning)}
            onClick={() => onInsert(name)}
          >
            {`{${name}}`}
          </button>
        </li>
      ))}
    </ul>
  );
}
