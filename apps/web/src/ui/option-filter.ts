import type { ComboboxParsedItem, OptionsFilter } from '@mantine/core';
import { hasWords } from '@regie/values/search-text.ts';

export const optionFilter: OptionsFilter = ({ options, search }) =>
  options.flatMap((option): ComboboxParsedItem[] => {
    if (!('group' in option)) return hasWords(option.label, search) ? [option] : [];
    const items = option.items.filter(({ label }) => hasWords(label, search));
    return items.length > 0 ? [{ group: option.group, items }] : [];
  });
