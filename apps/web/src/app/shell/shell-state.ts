import { createStore } from '#src/lib/store.ts';

export const shortcutsDialog = createStore<HTMLElement | undefined>(undefined);
