import { Box, Button, CloseButton, Drawer, Group, Popover, Radio, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { LookupItem } from '@regie/contract/routes/accounting.ts';
import { formatDate, formatMonth } from '@regie/values/formats.ts';
import { IconCheck, IconFilter, IconPlus } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { fr } from '#src/lib/fr.ts';
import { useIsPhone } from '#src/lib/is-phone.ts';
import { dayToMs, monthFromParam, monthToParam } from '#src/lib/months.ts';
import type { SearchParams } from '#src/lib/search-params.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { LookupField } from '#src/ui/lookup-field.tsx';
import { MonthField } from '#src/ui/month-field.tsx';
import shared from '#src/ui/shared.module.css';
import classes from './list-page.module.css';

export type ListFilter = { label: string } & (
  | { kind: 'select'; param: string; options: readonly { value: string; label: string }[] }
  /** On unless the URL says `off`. */
  | { kind: 'switch'; param: string; off: string }
  /** `2026-01` in the URL, milliseconds in the request (`fromParam` and `toParam` for both). */
  | { kind: 'months'; fromParam: string; toParam: string }
  | { kind: 'month'; param: string }
  /** Days in Paris: `2026-01-31` in the URL, the first and last instants in the request. */
  | { kind: 'days'; fromParam: string; toParam: string }
  | { kind: 'lookup'; param: string; lookup: (q: string, signal: AbortSignal) => Promise<readonly LookupItem[]> }
  | { kind: 'text'; param: string }
  | {
      kind: 'own';
      param: string;
      text: string | undefined;
      editor: (onChange: (change: SearchParams) => void) => ReactNode;
    }
);
type FilterOf<Kind extends ListFilter['kind']> = Extract<ListFilter, { kind: Kind }>;

export function selectFilter<Value extends string>(
  label: string,
  param: string,
  labels: Readonly<Record<Value, string>>,
  values: readonly NoInfer<Value>[] = Object.keys(labels) as Value[],
): FilterOf<'select'> {
  return { kind: 'select', label, param, options: values.map((value) => ({ value, label: labels[value] })) };
}

export const valuesFilter = (label: string, param: string, values: readonly string[]): FilterOf<'select'> => ({
  kind: 'select',
  label,
  param,
  options: values.map((value) => ({ value, label: value })),
});

// The URL only has the id; the name of a record picked in this tab is remembered.
const lookupLabels = new Map<string, string>();

export const filterParams = (filter: ListFilter): readonly string[] =>
  filter.kind === 'months' || filter.kind === 'days' ? [filter.fromParam, filter.toParam] : [filter.param];

export function filterQuery(filter: ListFilter, search: SearchParams): Record<string, string | number | undefined> {
  switch (filter.kind) {
    case 'months':
      return {
        [filter.fromParam]: monthFromParam(search[filter.fromParam]),
        [filter.toParam]: monthFromParam(search[filter.toParam]),
      };
    case 'days':
      return {
        [filter.fromParam]: dayToMs(search[filter.fromParam] ?? '')?.startMs,
        [filter.toParam]: dayToMs(search[filter.toParam] ?? '')?.endMs,
      };
    case 'month':
      return { [filter.param]: monthFromParam(search[filter.param]) };
    case 'select': {
      const value = search[filter.param];
      return { [filter.param]: filter.options.some((option) => option.value === value) ? value : undefined };
    }
    case 'switch':
      return { [filter.param]: search[filter.param] === filter.off ? filter.off : undefined };
    case 'lookup':
    case 'own':
    case 'text':
      return { [filter.param]: search[filter.param] };
  }
}

type EditedFilter = Exclude<ListFilter, FilterOf<'switch'>>;

function describe(filter: EditedFilter, search: SearchParams): string | undefined {
  switch (filter.kind) {
    case 'months':
    case 'days': {
      const isDays = filter.kind === 'days';
      const read = (text = '') => (isDays ? dayToMs(text)?.startMs : monthFromParam(text));
      const format = isDays ? formatDate : formatMonth;
      const from = read(search[filter.fromParam]);
      const to = read(search[filter.toParam]);
      if (from !== undefined && to !== undefined) {
        return from === to ? format(from) : `${format(from)} – ${format(to)}`;
      }
      if (from !== undefined) return (isDays ? fr.list.sinceDay : fr.list.since)(format(from));
      return to === undefined ? undefined : (isDays ? fr.list.untilDay : fr.list.until)(format(to));
    }
    case 'month': {
      const month = monthFromParam(search[filter.param]);
      return month === undefined ? undefined : formatMonth(month);
    }
    case 'select':
      return filter.options.find((option) => option.value === search[filter.param])?.label;
    case 'lookup': {
      const id = search[filter.param];
      return id ? (lookupLabels.get(`${filter.param} ${id}`) ?? fr.list.recordNumber(id)) : undefined;
    }
    case 'own':
      return filter.text;
    case 'text':
      return search[filter.param];
  }
}

interface FilterChipProps<Filter = EditedFilter> {
  filter: Filter;
  search: SearchParams;
  onChange: (change: SearchParams) => void;
}

function FilterChip({ filter, ...props }: FilterChipProps<ListFilter>) {
  return filter.kind === 'switch' ? (
    <SwitchChip filter={filter} {...props} />
  ) : (
    <EditedChip filter={filter} {...props} />
  );
}

interface FilterBarProps {
  filters: readonly ListFilter[];
  search: SearchParams;
  onChange: (change: SearchParams) => void;
  onClear: (() => void) | undefined;
}

export function FilterBar({ filters, search, onChange, onClear }: FilterBarProps) {
  const isNarrow = useIsPhone();
  const chips = (
    <>
      {filters.map((filter) => (
        <FilterChip key={filter.label} filter={filter} search={search} onChange={onChange} />
      ))}
      {onClear && (
        <Button variant="subtle" size="compact-sm" onClick={onClear}>
          {fr.list.clearFilters}
        </Button>
      )}
    </>
  );
  if (!isNarrow || filters.length === 0) return chips;
  const set = filters.filter((filter) => filterParams(filter).some((param) => search[param]));
  return <FilterSheet count={set.length}>{chips}</FilterSheet>;
}

function FilterSheet({ count, children }: { count: number; children: ReactNode }) {
  const [isOpen, { open, close }] = useDisclosure();
  return (
    <>
      <Button
        variant="default"
        leftSection={buttonIcon(IconFilter)}
        rightSection={count > 0 ? <strong>{count}</strong> : undefined}
        onClick={open}
      >
        {fr.list.filters}
      </Button>
      <Drawer
        opened={isOpen}
        onClose={close}
        position="bottom"
        size="auto"
        title={fr.list.filters}
        styles={{ content: { height: 'auto' } }}
      >
        <Group gap="12px 8px" pb={8}>
          {children}
          <Button fullWidth onClick={close}>
            {fr.list.showRows}
          </Button>
        </Group>
      </Drawer>
    </>
  );
}

function SwitchChip({ filter, search, onChange }: FilterChipProps<FilterOf<'switch'>>) {
  const isOn = search[filter.param] !== filter.off;
  return (
    <span className={classes.chip} data-set={isOn || undefined}>
      <button
        type="button"
        className={classes.chipButton}
        aria-pressed={isOn}
        onClick={() => onChange({ [filter.param]: isOn ? filter.off : undefined })}
      >
        {isOn ? <IconCheck size={13} stroke={2} aria-hidden /> : <IconPlus size={13} stroke={2} aria-hidden />}
        {filter.label}
      </button>
    </span>
  );
}

function EditedChip({ filter, search, onChange }: FilterChipProps) {
  const [isOpen, setIsOpen] = useState(false);
  const value = describe(filter, search);
  const change = (next: SearchParams) => {
    onChange(next);
    setIsOpen(false);
  };
  const clear = () => change(Object.fromEntries(filterParams(filter).map((param) => [param, undefined])));
  return (
    <span className={classes.chip} data-set={value !== undefined || undefined}>
      <Popover opened={isOpen} onChange={setIsOpen} position="bottom-start" shadow="md" trapFocus returnFocus>
        <Popover.Target>
          <button
            type="button"
            className={classes.chipButton}
            aria-label={
              value === undefined
                ? fr.list.addFilter(filter.label)
                : fr.list.editFilter(`${filter.label}\u00a0: ${value}`)
            }
            onClick={() => setIsOpen(!isOpen)}
          >
            {value === undefined && <IconPlus size={13} stroke={2} aria-hidden />}
            {filter.label}
            {value !== undefined && (
              <Box component="strong" c="var(--accent-ink)" fw={600} className={shared.cut}>
                {value}
              </Box>
            )}
          </button>
        </Popover.Target>
        <Popover.Dropdown miw={filter.kind === 'lookup' || filter.kind === 'own' ? 320 : 220} maw="calc(100vw - 16px)">
          <FilterEditor filter={filter} search={search} onChange={change} />
        </Popover.Dropdown>
      </Popover>
      {value !== undefined && (
        <CloseButton
          size={26}
          iconSize={14}
          aria-label={fr.list.removeFilter(`${filter.label}\u00a0: ${value}`)}
          onClick={clear}
        />
      )}
    </span>
  );
}

function FilterEditor({ filter, search, onChange }: FilterChipProps) {
  switch (filter.kind) {
    case 'select':
      return (
        <Radio.Group
          label={filter.label}
          value={search[filter.param] ?? ''}
          onChange={(value) => onChange({ [filter.param]: value })}
        >
          <Stack gap={8} mt={8} className={classes.choices}>
            {filter.options.map((option) => (
              <Radio key={option.value} value={option.value} label={option.label} />
            ))}
          </Stack>
        </Radio.Group>
      );
    case 'months':
    case 'days':
      return <RangeEditor filter={filter} search={search} onChange={onChange} />;
    case 'month':
      return (
        <MonthField
          label={filter.label}
          value={monthFromParam(search[filter.param])}
          onChange={(month) => onChange({ [filter.param]: monthToParam(month) })}
          withinPortal={false}
        />
      );
    case 'lookup':
      return (
        <LookupField
          label={filter.label}
          value={null}
          lookup={filter.lookup}
          withinPortal={false}
          onChange={(item) => {
            if (item) lookupLabels.set(`${filter.param} ${item.id}`, item.label);
            onChange({ [filter.param]: item ? String(item.id) : undefined });
          }}
        />
      );
    case 'own':
      return filter.editor(onChange);
    case 'text':
      return <TextEditor filter={filter} search={search} onChange={onChange} />;
  }
}

type RangeFilter = FilterOf<'months'> | FilterOf<'days'>;

function RangeEditor({ filter, search, onChange }: FilterChipProps<RangeFilter>) {
  const [from, setFrom] = useState(search[filter.fromParam] ?? '');
  const [to, setTo] = useState(search[filter.toParam] ?? '');
  const apply = () => {
    const [first, last] = from && to && from > to ? [to, from] : [from, to];
    onChange({ [filter.fromParam]: first, [filter.toParam]: last });
  };
  const field = (label: string, value: string, set: (text: string) => void) =>
    filter.kind === 'days' ? (
      <TextInput type="date" label={label} value={value} onChange={(event) => set(event.currentTarget.value)} />
    ) : (
      <MonthField
        label={label}
        value={monthFromParam(value)}
        onChange={(month) => set(monthToParam(month) ?? '')}
        withinPortal={false}
        w={130}
      />
    );
  return (
    <EditorForm onApply={apply}>
      <Group align="end" gap={8} wrap="nowrap">
        {field(fr.list.from, from, setFrom)}
        {field(fr.list.to, to, setTo)}
      </Group>
    </EditorForm>
  );
}

function EditorForm({ onApply, children }: { onApply: () => void; children: ReactNode }) {
  const apply = (event: FormEvent) => {
    event.preventDefault();
    onApply();
  };
  return (
    <form onSubmit={apply}>
      {children}
      <Button type="submit" mt={12} fullWidth>
        {fr.list.apply}
      </Button>
    </form>
  );
}

function TextEditor({ filter, search, onChange }: FilterChipProps<FilterOf<'text'>>) {
  const [text, setText] = useState(search[filter.param] ?? '');
  return (
    <EditorForm onApply={() => onChange({ [filter.param]: text.trim() })}>
      <TextInput label={filter.label} value={text} onChange={(event) => setText(event.currentTarget.value)} />
    </EditorForm>
  );
}
