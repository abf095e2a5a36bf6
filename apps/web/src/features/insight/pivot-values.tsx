import { Button, MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type PivotDimension, pivotLimits, readValues, writeValues } from '@regie/contract/insight.ts';
import { anyReadLibraries } from '@regie/contract/releases.ts';
import type { PivotEntry } from '@regie/contract/routes/insight.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { lookupAccounts, lookupReleases, lookupTracks } from '#src/domain/lookups.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import { valuesQuery } from './insight.api.ts';
import { frPivot } from './pivot.fr.ts';
import { entryName, type PivotQuestion } from './pivot-state.ts';

const t = frPivot;
const debounceMs = 180;

interface PivotValuesProps {
  by: PivotDimension;
  question: PivotQuestion;
  /** Names of the values that are chosen. */
  known: readonly Pick<PivotEntry, 'value' | 'name'>[];
  onApply: (values: string | undefined) => void;
}

/** The values of a filter: the largest of the period, and records by name. */
export function PivotValues({ by, question, known, onApply }: PivotValuesProps) {
  const [chosen, setChosen] = useState(() => (question.filters[by] ?? []).map((value) => writeValues([value])));
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), debounceMs);
  const lookup = useLookup(by);
  const values = useQuery(valuesQuery(by, question));
  const found = useQuery({
    queryKey: ['insight', 'values', 'lookup', by, q],
    queryFn: ({ signal }) => lookup?.(q, signal) ?? [],
    enabled: lookup !== undefined && q !== '',
    placeholderData: (previous) => previous,
  });
  // By value; the first name counts.
  const options = new Map<string, string>();
  const offer = (value: string, label: string) => {
    const key = writeValues([value]);
    if (!options.has(key)) options.set(key, label);
  };
  for (const one of [...known, ...(values.data ?? [])]) offer(one.value, entryName(by, { ...one, others: null }));
  for (const { id, label } of found.data ?? []) offer(String(id), label);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onApply(chosen.length === 0 ? undefined : writeValues(chosen.flatMap(readValues)));
      }}
    >
      <MultiSelect
        label={t.one[by]}
        data={[...options].map(([value, label]) => ({ value, label }))}
        value={chosen}
        onChange={setChosen}
        searchable
        searchValue={typed}
        onSearchChange={setTyped}
        maxValues={pivotLimits.filterValues}
        hidePickedOptions
        limit={200}
        maxDropdownHeight={220}
        comboboxProps={{ withinPortal: false }}
        placeholder={chosen.length === 0 ? t.values.search : ''}
        nothingFoundMessage={values.isFetching || found.isFetching ? fr.common.loading : t.values.nothing}
        error={values.isError && t.values.failed}
      />
      <Button type="submit" mt={12} fullWidth>
        {fr.list.apply}
      </Button>
    </form>
  );
}

/** The search of a dimension's records, for those who may read them. */
function useLookup(by: PivotDimension) {
  const can = useCan();
  if (by === 'track') return lookupTracks;
  if (by === 'account') return lookupAccounts;
  return by === 'release' && anyReadLibraries.some(can) ? lookupReleases : undefined;
}
