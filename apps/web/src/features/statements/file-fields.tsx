import { Autocomplete, Checkbox, NativeSelect, Stack } from '@mantine/core';
import { type Charset, charsets } from '@regie/contract/statements.ts';
import type { ReactNode } from 'react';
import { frStatements } from '#src/fr-statements.ts';
import classes from './statements.module.css';

const t = frStatements.again;

interface CurrencyFieldProps {
  value: string;
  onChange: (currency: string) => void;
  offered: readonly string[];
  /** What staff said of the file before: offered first, never taken. */
  last?: string | null;
  required?: boolean;
  description?: string;
  error?: ReactNode;
  w?: number;
}

/** The currency of one file, which does not say it itself. */
export function CurrencyField({ value, onChange, offered, last = null, ...rest }: CurrencyFieldProps) {
  return (
    <Autocomplete
      {...rest}
      label={t.currency}
      value={value}
      onChange={(text) => onChange(text.toUpperCase())}
      data={[...offered]}
      // All of them, whatever is typed: few are offered, and what was typed may be another one.
      filter={({ options }) => options}
      renderOption={({ option }) =>
        option.value === last ? (
          <span>
            {option.value} <span className={classes.lastUsed}>{t.lastUsed}</span>
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
  /** What the file's bytes show, unless staff says otherwise. */
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
        ...charsets.map((charset) => ({ value: charset, label: frStatements.charset[charset] })),
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

/** Which sheets of a workbook are read. */
export function SheetsField({ sheets, value, onChange, error }: SheetsFieldProps) {
  return (
    <Checkbox.Group label={t.sheets} description={t.sheetsHint} value={value} onChange={onChange} error={error}>
      <Stack gap={8} my={6} className={classes.sheets}>
        {sheets.map((sheet) => (
          <Checkbox key={sheet} value={sheet} label={sheet} error={error !== undefined && error !== false} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

/** What is sent of chosen sheets: those that are read anyway are no choice. */
export const sheetsChoice = (usual: readonly string[], chosen: readonly string[]): string[] | null =>
  usual.length === chosen.length && usual.every((sheet) => chosen.includes(sheet)) ? null : [...chosen];

/** The sheets that are read where nobody says which. */
export const usualSheets = ({ sheets, hiddenSheets }: { sheets: readonly string[]; hiddenSheets: readonly string[] }) =>
  sheets.filter((sheet) => !hiddenSheets.includes(sheet));
