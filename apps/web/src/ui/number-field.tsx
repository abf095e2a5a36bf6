import { TextInput, type TextInputProps } from '@mantine/core';
import { nbsp, parseNumber } from '@regie/values/formats.ts';
import { useState } from 'react';

export interface NumberFieldProps extends Omit<TextInputProps, 'label' | 'value' | 'onChange' | 'onBlur'> {
  label: string;
  /** NaN while the text is not a number. */
  value: number | undefined;
  onChange: (value: number | undefined) => void;
  onBlur?: () => void;
  minDecimals?: number;
  unit?: string;
}

function show(value: number | undefined, minDecimals: number): string {
  if (value === undefined || Number.isNaN(value)) return '';
  const exact = String(value);
  const text = exact.includes('e') ? value.toFixed(12).replace(/\.?0+$/, '') : exact;
  const decimals = text.split('.')[1]?.length ?? 0;
  return (decimals < minDecimals ? value.toFixed(minDecimals) : text).replace('.', ',');
}

export function NumberField({ value, onChange, onBlur, unit, minDecimals = 0, ...rest }: NumberFieldProps) {
  const [text, setText] = useState<string>();
  return (
    <TextInput
      {...rest}
      inputMode="decimal"
      value={text ?? show(value, minDecimals)}
      onChange={(event) => {
        setText(event.currentTarget.value);
        onChange(parseNumber(event.currentTarget.value));
      }}
      onBlur={() => {
        // Invalid text is kept, to be corrected.
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
