import { analyticsDimensions } from '@regie/contract/analytics.ts';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import type { ListTab } from '#src/ui/list/list-toolbar.tsx';
import { frAnalytics } from './analytics.fr.ts';

const dimensions = [...analyticsDimensions.filter((by) => by !== 'period'), 'period'] as const;
type AnalyticsTab = (typeof dimensions)[number] | 'pivot';

export const analyticsTabs = (
  current: AnalyticsTab,
  search: Record<string, string>,
  period: Record<string, string> = {},
): ListTab[] => [
  ...dimensions.map((by) => ({
    label: frAnalytics.tab[by],
    to: paths.analytics,
    search: { ...search, by },
    isCurrent: by === current,
  })),
  { label: frScreens.reports.pivot, to: paths.pivot, search: period, isCurrent: current === 'pivot' },
];
