import { paths } from '#src/app/paths.ts';
import { fr } from '#src/fr.ts';
import type { ListTab } from '#src/ui/list-page.tsx';

/** The four lists of the library as tabs. */
export const libraryTabs = (current: string): ListTab[] =>
  [
    { label: fr.library.tracks, to: paths.libraryTracks },
    { label: fr.library.artists, to: paths.artists },
    { label: fr.library.contributors, to: paths.contributors },
    { label: fr.library.editors, to: paths.editors },
  ].map((tab) => ({ ...tab, isCurrent: tab.to === current }));
