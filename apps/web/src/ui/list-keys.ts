import { type RefObject, useEffect, useEffectEvent } from 'react';
import { isDialogOpen } from '#src/lib/dialogs.ts';
import { usePreference } from '#src/lib/preferences.ts';

interface ListKeys {
  container: RefObject<HTMLElement | null>;
  searchBox: RefObject<HTMLInputElement | null>;
  onSelect: (index: number) => void;
}

/** Keys that belong to what is being typed in, or to an open dialog or menu, are left alone. */
function isElsewhere(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest('input, textarea, select, [contenteditable], [role="menu"], [role="listbox"]')) return true;
  return isDialogOpen();
}

/**
 * j and k (or the arrows) move between rows, x selects, / searches; Enter opens by itself, the row's link having
 * the focus. Single keys can be turned off in the account menu (WCAG 2.1.4).
 */
export function useListKeys({ container, searchBox, onSelect }: ListKeys): void {
  const [shortcuts] = usePreference('shortcuts', ['on', 'off']);
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (isElsewhere(event)) return;
    const openers = [...(container.current?.querySelectorAll<HTMLElement>('[data-row-open]') ?? [])];
    const row = document.activeElement?.closest('[data-row]') ?? null;
    const current = openers.findIndex((opener) => opener.closest('[data-row]') === row && row !== null);
    const move = (step: number) => {
      const next = openers[current === -1 ? (step > 0 ? 0 : openers.length - 1) : current + step];
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
        // Away from the rows the arrows scroll, as everywhere.
        return current === -1 ? undefined : move(event.key === 'ArrowDown' ? 1 : -1);
      case 'x':
        return current === -1 ? undefined : onSelect(current);
      case '/':
        if (!searchBox.current) return;
        event.preventDefault();
        searchBox.current.focus();
        searchBox.current.select();
        return;
      default:
        return;
    }
  });
  useEffect(() => {
    if (shortcuts === 'off') return;
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, [shortcuts]);
}
