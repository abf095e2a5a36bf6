import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import type { ListTab } from '#src/ui/list/list-toolbar.tsx';

export const libraryTabs = (current: string): ListTab[] =>
  [
    { label: frScreens.library.tracks, to: paths.libraryTracks },
    { label: frScreens.library.artists, to: paths.artists },
    { label: frScreens.library.contributors, to: paths.contributors },
    { label: frScreens.library.editors, to: paths.editors },
  ].map((tab) => ({ ...tab, isCurrent: tab.to === current }));
