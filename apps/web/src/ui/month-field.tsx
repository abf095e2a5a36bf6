import { Select, type SelectProps } from '@mantine/core';
import { formatMonthNumeric } from '@regie/values/formats.ts';
import { addMonths, earliestMonthMs, type Month, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { useMemo, useState } from 'react';
import { fr } from '#src/lib/fr.ts';
import { parseMonth } from '#src/lib/months.ts';

interface MonthFieldProps extends Omit<SelectProps, 'value' | 'onChange' | 'data'> {
  /** The month's first instant in Paris, milliseconds. */
  value: number | undefined;
  onChange: (value: number | undefined) => void;
  /** The first month, by default January 2020 (product §29.1). */
  firstMonthMs?: number;
  withinPortal?: boolean;
}

const monthNames = new Intl.DateTimeFormat('fr-FR', { month: 'long', timeZone: 'UTC' });

function monthsBetween(first: Month, last: Month): Month[] {
  const list: Month[] = [];
  for (let month = last; month >= first; month = addMonths(month, -1)) list.push(month);
  return list;
}

const renderOption: SelectProps['renderOption'] = ({ option }) => (
  <span>
    {option.label} <small>{monthNames.format(new Date(`${option.value}-01T00:00:00Z`))}</small>
  </span>
);

export function MonthField({
  value,
  onChange,
  firstMonthMs = earliestMonthMs,
  withinPortal = true,
  ...rest
}: MonthFieldProps) {
  const first = monthOfInstant(firstMonthMs);
  const last = monthOfInstant(Math.max(Date.now(), value ?? 0));
  const data = useMemo(
    () => monthsBetween(first, last).map((month) => ({ value: month, label: formatMonthNumeric(monthToMs(month)) })),
    [first, last],
  );
  const [search, setSearch] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const takeTyped = () => {
    const typed = parseMonth(search, firstMonthMs);
    if (typed === undefined || typed === value || typed > monthToMs(last)) return false;
    onChange(typed);
    return true;
  };
  return (
    <Select
      {...rest}
      data={data}
      value={value === undefined ? null : monthOfInstant(value)}
      onChange={(month) => onChange(month === null ? undefined : monthToMs(month))}
      searchable
      searchValue={search}
      onSearchChange={setSearch}
      dropdownOpened={isOpen}
      onDropdownOpen={() => setIsOpen(true)}
      onDropdownClose={() => setIsOpen(false)}
      // The first focus of a dialog must not cover what lies below the field.
      openOnFocus={false}
      onKeyDown={(event) => {
        // A highlighted option is picked by the list.
        if (event.key !== 'Enter' || event.currentTarget.hasAttribute('aria-activedescendant') || !takeTyped()) return;
        event.preventDefault();
        setIsOpen(false);
      }}
      onBlur={takeTyped}
      clearable={!rest.required}
      allowDeselect={false}
      placeholder={fr.form.monthPlaceholder}
      nothingFoundMessage={fr.form.monthUnknown}
      renderOption={renderOption}
      maxDropdownHeight={260}
      comboboxProps={{ withinPortal }}
      inputMode="numeric"
      filter={({ options, search }) => {
        const wanted = search.trim().toLowerCase();
        const typed = parseMonth(wanted, firstMonthMs);
        return options.filter((option) => {
          if ('group' in option) return false;
          if (typed !== undefined) return option.value === monthOfInstant(typed);
          const name = monthNames.format(new Date(`${option.value}-01T00:00:00Z`));
          return (
            option.label.includes(wanted) || name.startsWith(wanted) || option.label.replace('/', '').startsWith(wanted)
          );
        });
      }}
    />
  );
}
