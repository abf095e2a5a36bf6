import type { WaitingCounts } from '@regie/contract/routes/accounting.ts';
import { createStore } from '#src/lib/store.ts';

/** What waits in the lists of the sidebar; undefined until the first response. */
export const waitingCounts = createStore<WaitingCounts | undefined>(undefined);

/** While the dialog of all key shortcuts is open: what gets the focus back. */
export const shortcutsDialog = createStore<HTMLElement | undefined>(undefined);
