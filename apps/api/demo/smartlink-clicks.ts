import { dayOf, dayText } from './calendar.ts';
import { Random, seedOf } from './random.ts';
import type { DemoSmartlink } from './services.ts';

const lastDay = dayOf('2026-11-20');
const countedDays = 45;

export interface DemoClicks {
  day: string;
  platform: string;
  clicks: number;
}

/** A link's clicks in its last weeks: most on one or two platforms, more at weekends, none while pending. */
export function inventClicks(smartlink: DemoSmartlink): DemoClicks[] {
  if (smartlink.status === 'pending' || smartlink.urls.length === 0) return [];
  const random = new Random(seedOf('clicks', smartlink.slug));
  const reach = random.pick([2, 4, 6, 9, 14, 30]);
  const favourites = random.shuffle(smartlink.urls.map(([platform]) => platform)).slice(0, 3);
  const firstDay = Math.max(dayOf(smartlink.createdAt.slice(0, 10)), lastDay - countedDays + 1);
  const days = Array.from({ length: Math.max(0, lastDay - firstDay + 1) }, (_, index) => firstDay + index);
  return days.flatMap((day) => {
    // 1970-01-01 was a Thursday.
    const isWeekend = [2, 3].includes(((day % 7) + 7) % 7);
    return favourites.flatMap((platform, rank): DemoClicks[] => {
      const most = Math.round((reach * (isWeekend ? 1.5 : 1)) / (rank + 1));
      const clicks = random.int(0, most);
      return clicks === 0 ? [] : [{ day: dayText(day), platform, clicks }];
    });
  });
}
