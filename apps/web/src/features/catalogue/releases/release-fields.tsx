import { Select, type SelectProps, TextInput } from '@mantine/core';
import { firstRecordingYear, genres } from '@regie/contract/releases.ts';
import { findDay } from '@regie/contract/routes/releases.ts';
import { languageNames } from '@regie/values/languages.ts';
import { useMemo } from 'react';
import type { FieldProps } from '#src/ui/form.tsx';
import { frReleases } from './releases.fr.ts';

const t = frReleases.trackForm;

type LabelledProps<Value> = Pick<SelectProps, 'label' | 'description' | 'required'> & FieldProps<Value>;

/** A stored value stays selectable, even when the list lacks it. */
const withPresent = (list: readonly string[], present: string | null): string[] =>
  present && !list.includes(present) ? [present, ...list] : [...list];

/** From the current year to 1901 (product §39.2). */
function yearsDownTo(first: number): string[] {
  const last = new Date().getFullYear();
  return Array.from({ length: last - first + 1 }, (_, i) => String(last - i));
}

export function YearField({ value, onChange, ...rest }: LabelledProps<number | null>) {
  const present = value === null ? null : String(value);
  const data = useMemo(() => withPresent(yearsDownTo(firstRecordingYear), present), [present]);
  return (
    <Select
      {...rest}
      data={data}
      value={present}
      onChange={(year) => onChange(year === null ? null : Number(year))}
      searchable
      clearable={!rest.required}
      allowDeselect={false}
      placeholder={t.chooseYear}
      nothingFoundMessage={t.yearUnknown}
      maxDropdownHeight={260}
    />
  );
}

export function GenreField({ value, onChange, ...rest }: LabelledProps<string | null>) {
  return (
    <Select
      {...rest}
      data={withPresent(genres, value)}
      value={value}
      onChange={onChange}
      searchable
      clearable={!rest.required}
      allowDeselect={false}
      placeholder={t.chooseGenre}
      nothingFoundMessage={t.genreUnknown}
      maxDropdownHeight={320}
    />
  );
}

export function LanguageField({ value, onChange, ...rest }: LabelledProps<string | null>) {
  const data = useMemo(() => withPresent(languageNames(), value), [value]);
  return (
    <Select
      {...rest}
      data={data}
      value={value}
      onChange={onChange}
      searchable
      clearable
      allowDeselect={false}
      placeholder={t.chooseLanguage}
      nothingFoundMessage={t.languageUnknown}
      maxDropdownHeight={260}
    />
  );
}

/** A day as dd/MM/yyyy (product §15.4); a one-digit day or month is padded on blur. */
export function DayField({ value, onChange, ...rest }: LabelledProps<string>) {
  return (
    <TextInput
      {...rest}
      inputMode="numeric"
      placeholder={frReleases.form.datePlaceholder}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      onBlur={() => {
        const day = findDay(value);
        if (day) onChange(day.split('-').reverse().join('/'));
      }}
    />
  );
}
