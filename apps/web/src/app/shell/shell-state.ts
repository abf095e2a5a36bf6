import { createStore } from '#src/lib/store.ts';

/** While the dialog of all key shortcuts is open: what gets the focus back. */
export const shortcutsDialog = createStore<HTMLElement | undefined>(undefined);
