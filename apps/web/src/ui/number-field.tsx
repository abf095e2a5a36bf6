import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { nbsp, parseNumber } from '#src/lib/formats.ts';

export interface NumberFieldProps {
  label: string;
  /** NaN while what is typed is no number. */
  value: number | undefined;
  onChange: (value: number | undefined) => void;
  onBlur?: () => void;
  description?: string;
  error?: React.ReactNode;
  required?: boolean;
  disabled?: boolean;
  placeholder?: string;
  /** Shown after the figure: `€`, `$US`, `%`. */
  unit?: string;
  w?: number | string;
  'data-path'?: string;
}

function show(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return '';
  const text = String(value);
  return (text.includes('e') ? value.toFixed(12).replace(/\.?0+$/, '') : text).replace('.', ',');
}

/** A number typed with a comma or a dot; the text stays as typed until the field is left. */
export function NumberField({ value, onChange, onBlur, unit, ...rest }: NumberFieldProps) {
  const [text, setText] = useState<string>();
  return (
    <TextInput
      {...rest}
      inputMode="decimal"
      autoComplete="off"
      value={text ?? show(value)}
      onChange={(event) => {
        setText(event.currentTarget.value);
        onChange(parseNumber(event.currentTarget.value));
      }}
      onBlur={() => {
        // What is no number stays on screen, to be corrected.
        if (!Number.isNaN(value)) setText(undefined);
        onBlur?.();
      }}
      rightSection={unit ? <span aria-hidden>{unit}</span> : undefined}
      rightSectionWidth={unit && unit.length > 2 ? 48 : undefined}
      aria-label={unit ? `${rest.label}${nbsp}(${unit})` : undefined}
      styles={{ input: { fontVariantNumeric: 'tabular-nums' } }}
    />
  );
}
