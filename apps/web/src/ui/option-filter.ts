import type { ComboboxParsedItem, OptionsFilter } from '@mantine/core';
import { fold, hasWords } from '@regie/values/search-text.ts';

/** Options with each typed word; outside groups, those that begin with the text come first. */
export const optionFilter: OptionsFilter = ({ options, search }) => {
  const rank = (label: string) => (fold(label).startsWith(fold(search.trim())) ? 0 : 1);
  return options
    .flatMap((option): ComboboxParsedItem[] => {
      if (!('group' in option)) return hasWords(option.label, search) ? [option] : [];
      const items = option.items.filter(({ label }) => hasWords(label, search));
      return items.length > 0 ? [{ group: option.group, items }] : [];
    })
    .toSorted((one, other) => ('label' in one && 'label' in other ? rank(one.label) - rank(other.label) : 0));
};
