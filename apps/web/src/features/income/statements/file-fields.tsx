import { Autocomplete, Box, Checkbox, NativeSelect, Stack } from '@mantine/core';
import { Charset } from '@regie/contract/statements.ts';
import type { ReactNode } from 'react';
import shared from '#src/ui/shared.module.css';
import { frStatements } from './statements.fr.ts';

const t = frStatements.again;

interface CurrencyFieldProps {
  value: string;
  onChange: (currency: string) => void;
  offered: readonly string[];
  last?: string | null;
  required?: boolean;
  description?: string;
  error?: ReactNode;
  w?: number;
}

export function CurrencyField({ value, onChange, offered, last = null, ...rest }: CurrencyFieldProps) {
  return (
    <Autocomplete
      {...rest}
      label={t.currency}
      value={value}
      onChange={(text) => onChange(text.toUpperCase())}
      data={[...offered]}
      // All options, without filtering: there are few, and the text may be another currency.
      filter={({ options }) => options}
      renderOption={({ option }) =>
        option.value === last ? (
          <span>
            {option.value}{' '}
            <Box component="span" fz={12}>
              {t.lastUsed}
            </Box>
          </span>
        ) : (
          option.value
        )
      }
      maxLength={3}
    />
  );
}

interface CharsetFieldProps {
  detected: Charset | undefined;
  value: Charset | '';
  onChange: (charset: Charset | '') => void;
}

export function CharsetField({ detected, value, onChange }: CharsetFieldProps) {
  return (
    <NativeSelect
      label={t.charset}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value as Charset | '')}
      data={[
        { value: '', label: detected ? t.detected(frStatements.charset[detected]) : t.detection },
        ...Charset.options.map((charset) => ({ value: charset, label: frStatements.charset[charset] })),
      ]}
    />
  );
}

interface SheetsFieldProps {
  sheets: readonly string[];
  value: string[];
  onChange: (sheets: string[]) => void;
  error?: ReactNode;
}

export function SheetsField({ sheets, value, onChange, error }: SheetsFieldProps) {
  return (
    <Checkbox.Group label={t.sheets} description={t.sheetsHint} value={value} onChange={onChange} error={error}>
      <Stack gap={8} my={6} className={shared.wrap}>
        {sheets.map((sheet) => (
          <Checkbox key={sheet} value={sheet} label={sheet} error={error !== undefined && error !== false} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

export const sheetsChoice = (usual: readonly string[], chosen: readonly string[]): string[] | null =>
  usual.length === chosen.length && usual.every((sheet) => chosen.includes(sheet)) ? null : [...chosen];

export const usualSheets = ({ sheets, hiddenSheets }: { sheets: readonly string[]; hiddenSheets: readonly string[] }) =>
  sheets.filter((sheet) => !hiddenSheets.includes(sheet));
