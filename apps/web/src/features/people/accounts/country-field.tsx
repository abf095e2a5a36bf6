import { Select, type SelectProps } from '@mantine/core';
import { type Continent, continents, countryName, findCountryCode } from '@regie/values/countries.ts';
import { useMemo } from 'react';
import { frRecords } from '#src/domain/records.fr.ts';
import type { FieldProps } from '#src/ui/form.tsx';
import { frAccounts } from './accounts.fr.ts';

const t = frAccounts.form;
const collator = new Intl.Collator('fr');
/** In the order of product §19.6. */
const order: Continent[] = ['asia', 'europe', 'africa', 'oceania', 'northAmerica', 'antarctica', 'southAmerica'];

interface CountryFieldProps extends Pick<SelectProps, 'label' | 'required'>, FieldProps<string> {}

/** A country by its French name, searchable, grouped by continent (product §19.6). */
export function CountryField({ value, onChange, ...rest }: CountryFieldProps) {
  // The stored value may be a code, or an English name.
  const code = findCountryCode(value);
  const shown = code === undefined ? value : countryName(code);
  const data = useMemo(() => {
    const groups = order.map((continent) => ({
      group: frRecords.continents[continent],
      items: continents[continent].map(countryName).toSorted(collator.compare),
    }));
    const isListed = shown === '' || groups.some(({ items }) => items.includes(shown));
    return isListed ? groups : [shown, ...groups];
  }, [shown]);
  return (
    <Select
      {...rest}
      data={data}
      value={shown || null}
      onChange={(name) => onChange(name ?? '')}
      searchable
      clearable={!rest.required}
      allowDeselect={false}
      placeholder={t.chooseCountry}
      nothingFoundMessage={t.countryUnknown}
      maxDropdownHeight={300}
      autoComplete="off"
    />
  );
}
