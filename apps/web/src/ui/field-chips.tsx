import { Group } from '@mantine/core';
import { type RefObject, useRef } from 'react';
import { fr } from '#src/lib/fr.ts';
import classes from './field-chips.module.css';

export interface Insertion {
  area: RefObject<HTMLTextAreaElement | null>;
  insert: (field: string) => void;
}

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

interface FieldChipsProps {
  fields: Readonly<Record<string, string>>;
  onInsert: Insertion['insert'];
  'aria-labelledby'?: string;
}

export function FieldChips({ fields, onInsert, ...list }: FieldChipsProps) {
  return (
    <Group component="ul" gap={6} mt={8} {...list}>
      {Object.entries(fields).map(([name, meaning]) => (
        <li key={name}>
          <button
            type="button"
            className={classes.chip}
            title={meaning}
            aria-label={fr.form.insertField(name, meaning)}
            onClick={() => onInsert(name)}
          >
            {`{${name}}`}
          </button>
        </li>
      ))}
    </Group>
  );
}
