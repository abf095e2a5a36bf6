import { Box, CloseButton, Combobox, Loader, TextInput, type TextInputProps, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { LookupItem } from '@regie/contract/routes/accounting.ts';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { fr } from '#src/lib/fr.ts';
import classes from './fields.module.css';
import shared from './shared.module.css';

export interface LookupFieldProps<Item extends LookupItem>
  extends Omit<TextInputProps, 'label' | 'value' | 'onChange'> {
  label: string;
  value: Item | null;
  onChange: (value: Item | null) => void;
  /** At most 20 matching records; an empty text returns a few. */
  lookup: (q: string, signal: AbortSignal) => Promise<readonly Item[]>;
  withinPortal?: boolean;
  hasFirstFocus?: boolean;
}

const debounceMs = 180;

export function LookupField<Item extends LookupItem>({
  value,
  onChange,
  lookup,
  withinPortal = true,
  hasFirstFocus,
  ...rest
}: LookupFieldProps<Item>) {
  const { label } = rest;
  const id = useId();
  const [text, setText] = useState<string>();
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const [q] = useDebouncedValue((text ?? '').trim(), debounceMs);
  const answer = useQuery({
    queryKey: ['lookup', id, q],
    queryFn: ({ signal }) => lookup(q, signal),
    enabled: combobox.dropdownOpened,
    placeholderData: (previous) => previous,
  });
  const items = answer.data ?? [];
  const hasText = !!text?.trim();
  // The options of the former text stay visible but cannot be picked: they are about to be replaced under the pointer.
  const isStale = answer.isPlaceholderData || q !== (text ?? '').trim();

  const pick = (item: Item | null) => {
    onChange(item);
    setText(undefined);
    combobox.closeDropdown();
  };

  return (
    <Combobox
      store={combobox}
      withinPortal={withinPortal}
      onOptionSubmit={(picked) => pick(items.find((item) => String(item.id) === picked) ?? null)}
    >
      <Combobox.Target withExpandedAttribute>
        <TextInput
          role="combobox"
          aria-autocomplete="list"
          placeholder={fr.form.lookupPlaceholder}
          {...rest}
          description={value?.hint || rest.description}
          // Text without a picked record selects nothing.
          error={rest.error ?? (hasText && !value && !combobox.dropdownOpened && fr.form.lookupUnpicked)}
          data-autofocus={hasFirstFocus || undefined}
          value={(value && !combobox.dropdownOpened ? undefined : text) ?? value?.label ?? ''}
          onChange={(event) => {
            setText(event.currentTarget.value);
            combobox.openDropdown();
            combobox.updateSelectedOptionIndex();
          }}
          onKeyDown={(event) => {
            const [only, another] = items;
            if (event.key !== 'Enter' || event.nativeEvent.isComposing || !combobox.dropdownOpened) return;
            // The list itself takes an option chosen with the arrows.
            if (!hasText || isStale || !only || another || combobox.getSelectedOptionIndex() !== -1) return;
            // Before the form is sent.
            event.preventDefault();
            pick(only);
          }}
          onClick={() => combobox.openDropdown()}
          onBlur={() => {
            combobox.closeDropdown();
            if (text?.trim() === '' && value) onChange(null);
            if (value || !hasText) setText(undefined);
          }}
          rightSectionPointerEvents="all"
          rightSection={
            answer.isFetching ? (
              <Loader size={16} />
            ) : value ? (
              <CloseButton
                size="sm"
                aria-label={fr.form.lookupClear(label)}
                // With the keyboard, the text is deleted.
                tabIndex={-1}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => pick(null)}
              />
            ) : null
          }
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        {/* A listbox without options is invalid: it is hidden, and the field keeps its accessible name. */}
        <Combobox.Options mah={280} style={{ overflowY: 'auto' }} aria-label={label} hidden={items.length === 0}>
          {items.map((item) => (
            <Combobox.Option key={item.id} value={String(item.id)} active={item.id === value?.id} disabled={isStale}>
              <Box component="span" display="block" fw={550}>
                {item.label}
              </Box>
              {item.hint && <span className={`${shared.under} ${classes.hint}`}>{item.hint}</span>}
            </Combobox.Option>
          ))}
        </Combobox.Options>
        {items.length === 0 && (
          <Combobox.Empty role="status">
            {answer.isError ? fr.form.lookupError : answer.isFetching ? fr.common.loading : fr.form.lookupNothing}
          </Combobox.Empty>
        )}
      </Combobox.Dropdown>
    </Combobox>
  );
}
