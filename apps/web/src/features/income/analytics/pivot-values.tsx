import { Button, Checkbox, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type PivotDimension, pivotLimits, readValues, writeValues } from '@regie/contract/analytics.ts';
import { anyReadLibraries } from '@regie/contract/releases.ts';
import type { PivotEntry } from '@regie/contract/routes/analytics.ts';
import { hasWords } from '@regie/values/search-text.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { lookupAccounts, lookupReleases, lookupTracks } from '#src/domain/lookups.ts';
import { fr } from '#src/lib/fr.ts';
import { useCan } from '#src/lib/session.ts';
import listClasses from '#src/ui/list/list-page.module.css';
import shared from '#src/ui/shared.module.css';
import { valuesQuery } from './analytics.api.ts';
import { frPivot } from './pivot.fr.ts';
import classes from './pivot.module.css';
import { entryName, type PivotQuestion } from './pivot-state.ts';

const t = frPivot;
const debounceMs = 180;
const shownValues = 50;

interface PivotValuesProps {
  by: PivotDimension;
  question: PivotQuestion;
  known: readonly Pick<PivotEntry, 'value' | 'name' | 'artists'>[];
  onApply: (values: string | undefined) => void;
}

export function PivotValues({ by, question, known, onApply }: PivotValuesProps) {
  const [chosen, setChosen] = useState(() => (question.filters[by] ?? []).map((value) => writeValues([value])));
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), debounceMs);
  const lookup = useLookup(by);
  const values = useQuery(valuesQuery(by, question));
  const records = useQuery({
    queryKey: ['analytics', 'values', 'lookup', by, q],
    queryFn: ({ signal }) => lookup?.(q, signal) ?? [],
    enabled: lookup !== undefined && q !== '',
    placeholderData: (previous) => previous,
  });
  const options = new Map<string, string>();
  const offer = (value: string, label: string, hint: string | undefined) => {
    const key = writeValues([value]);
    if (!options.has(key)) options.set(key, hint ? `${label}\u00a0– ${hint}` : label);
  };
  for (const one of [...known, ...(values.data ?? [])])
    offer(one.value, entryName(by, { ...one, others: null }), one.artists);
  for (const { id, label, hint } of records.data ?? []) offer(String(id), label, hint);
  // A record is also found by what its name does not say, as an ISRC.
  const byRecord = new Set(q === '' ? [] : records.data?.map(({ id }) => String(id)));
  const shown = [...options].filter(
    ([value, label]) => hasWords(label, typed) || byRecord.has(value) || chosen.includes(value),
  );
  return (
    <form
      className={classes.values}
      onSubmit={(event) => {
        event.preventDefault();
        onApply(chosen.length === 0 ? undefined : writeValues(chosen.flatMap(readValues)));
      }}
    >
      <TextInput
        label={t.one[by]}
        placeholder={t.values.search}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        error={values.isError && t.values.failed}
      />
      <Checkbox.Group
        aria-label={t.one[by]}
        value={chosen}
        onChange={setChosen}
        maxSelectedValues={pivotLimits.filterValues}
      >
        <Stack gap={8} mt={12} className={`${listClasses.choices} ${classes.choices}`}>
          {shown.slice(0, shownValues).map(([value, label]) => (
            <Checkbox key={value} value={value} label={label} />
          ))}
          {shown.length === 0 && (
            <span className={shared.muted} role="status">
              {values.isFetching || records.isFetching ? fr.common.loading : t.values.nothing}
            </span>
          )}
        </Stack>
      </Checkbox.Group>
      <Button type="submit" mt={12} fullWidth>
        {fr.list.apply}
      </Button>
    </form>
  );
}

function useLookup(by: PivotDimension) {
  const can = useCan();
  if (by === 'track') return lookupTracks;
  if (by === 'account') return lookupAccounts;
  return by === 'release' && anyReadLibraries.some(can) ? lookupReleases : undefined;
}
