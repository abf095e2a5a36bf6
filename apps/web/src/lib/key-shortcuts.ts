import { isDialogOpen } from './dialogs.ts';
import { usePreference } from './preferences.ts';

/** Single-key shortcuts can be disabled in the account menu (WCAG 2.1.4). */
export const useShortcutsPreference = () => usePreference('shortcuts', ['on', 'off']);

export function isElsewhere(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest('input, textarea, select, [contenteditable], [role="menu"], [role="listbox"]')) return true;
  return isDialogOpen();
}
