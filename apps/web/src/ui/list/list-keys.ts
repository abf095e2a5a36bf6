import { useWindowEvent } from '@mantine/hooks';
import { type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import { isElsewhere, useShortcutsPreference } from '#src/lib/key-shortcuts.ts';

interface ListKeys {
  container: RefObject<HTMLElement | null>;
  searchBox?: RefObject<HTMLInputElement | null>;
  onSelect?: (index: number) => void;
  onRowKey?: (key: string, index: number) => boolean;
  /** The rows shown: when the focused one is gone, the next one gets the focus. */
  rows: readonly unknown[] | undefined;
}

/** The row that had the focus last: after Back, the keys go on from it, or at what has taken its place. */
let left = { href: '', index: -1, name: '' };
const nameOf = (opener: Element | undefined) => opener?.getAttribute('href') ?? opener?.textContent ?? '';

/** j, k or arrows move, x selects, / searches; Enter opens natively. They can be disabled (WCAG 2.1.4). */
export function useListKeys({ container, searchBox, onSelect, onRowKey, rows }: ListKeys): void {
  const [shortcuts] = useShortcutsPreference();
  const treated = useRef<number>(undefined);
  const findOpeners = () => [...(container.current?.querySelectorAll<HTMLElement>('[data-row-open]') ?? [])];
  const findFocused = (openers: readonly HTMLElement[]) => {
    const row = document.activeElement?.closest('[data-row]') ?? null;
    return openers.findIndex((opener) => opener.closest('[data-row]') === row && row !== null);
  };
  useWindowEvent('focusin', () => {
    if (shortcuts === 'off') return;
    const openers = findOpeners();
    const index = findFocused(openers);
    if (index !== -1) left = { href: location.href, index, name: nameOf(openers[index]) };
  });
  useWindowEvent('keydown', (event) => {
    if (shortcuts === 'off') return;
    if (event.key === 'ArrowDown' && event.target === searchBox?.current) {
      event.preventDefault();
      return findOpeners()[0]?.focus();
    }
    // The arrows move a row that is being dragged.
    if (isElsewhere(event) || document.activeElement?.ariaPressed === 'true') return;
    const openers = findOpeners();
    const current = findFocused(openers);
    const move = (step: number) => {
      let from = current;
      if (from === -1 && left.href === location.href) {
        const isGone = nameOf(openers[left.index]) !== left.name;
        from = isGone && step > 0 ? left.index - 1 : left.index;
      }
      const next = openers[from === -1 ? (step > 0 ? 0 : openers.length - 1) : from + step];
      next?.focus();
      next?.scrollIntoView({ block: 'nearest' });
      if (next) event.preventDefault();
    };
    switch (event.key) {
      case 'j':
        return move(1);
      case 'k':
        return move(-1);
      case 'ArrowDown':
      case 'ArrowUp':
        // Outside the rows the arrows scroll as usual.
        return current === -1 ? undefined : move(event.key === 'ArrowDown' ? 1 : -1);
      case 'x':
        return current === -1 ? undefined : onSelect?.(current);
      case '/':
        if (!searchBox?.current) return;
        event.preventDefault();
        searchBox.current.focus();
        searchBox.current.select();
        return;
      default:
        // On a button or link within the row, the keys are its own.
        if (current === -1 || (event.key === 'Enter' && document.activeElement !== openers[current])) return;
        if (!onRowKey?.(event.key, current)) return;
        treated.current = current;
        event.preventDefault();
        return;
    }
  });
  const keepPlace = useEffectEvent(() => {
    if (treated.current === undefined || !document.activeElement?.contains(container.current)) return;
    findOpeners()
      .at(Math.min(treated.current, (rows?.length ?? 0) - 1))
      ?.focus({ preventScroll: true });
    treated.current = undefined;
  });
  useEffect(() => {
    if (rows) keepPlace();
  }, [rows]);
}
