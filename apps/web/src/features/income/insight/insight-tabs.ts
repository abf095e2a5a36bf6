import { insightDimensions } from '@regie/contract/insight.ts';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import type { ListTab } from '#src/ui/list/list-toolbar.tsx';
import { frInsight } from './insight.fr.ts';

const dimensions = [...insightDimensions.filter((by) => by !== 'period'), 'period'] as const;
type InsightTab = (typeof dimensions)[number] | 'pivot';

export const insightTabs = (
  current: InsightTab,
  search: Record<string, string>,
  period: Record<string, string> = {},
): ListTab[] => [
  ...dimensions.map((by) => ({
    label: frInsight.tab[by],
    to: paths.insight,
    search: { ...search, by },
    isCurrent: by === current,
  })),
  { label: frScreens.reports.pivot, to: paths.pivot, search: period, isCurrent: current === 'pivot' },
];
