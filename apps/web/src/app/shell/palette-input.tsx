import { Group } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { ComponentProps } from 'react';
import classes from './palette.module.css';
import { frShell } from './shell.fr.ts';

export interface PaletteText {
  text: string;
  setText: (text: string) => void;
  isGoing: boolean;
  setIsGoing: (isGoing: boolean) => void;
}

function focusAtEnd(input: HTMLInputElement | null) {
  input?.focus();
  input?.setSelectionRange(input.value.length, input.value.length);
}

export function PaletteInput({ isExpanded, children, ...input }: ComponentProps<'input'> & { isExpanded: boolean }) {
  return (
    <Group flex="none" gap={10} px={16} wrap="nowrap" className={classes.search}>
      <IconSearch size={18} stroke={1.7} aria-hidden />
      <input
        ref={focusAtEnd}
        className={classes.input}
        type="text"
        role="combobox"
        aria-label={frShell.palette}
        aria-expanded={isExpanded}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        {...input}
      />
      {children}
    </Group>
  );
}
