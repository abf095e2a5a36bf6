import { monthEndMs, monthToMs } from '@regie/values/month.ts';
import { describe, expect, it } from 'vitest';
import { endDate } from './months.ts';

const hourMs = 3_600_000;

describe('endDate', () => {
  it.each([
    ['nothing', undefined, '2025-02-01'],
    ['the last instant of a month in Paris', monthEndMs('2025-03'), '2025-04-01'],
    ['the last instant of March of a client far to the east', monthEndMs('2025-03') - 12 * hourMs, '2025-04-01'],
    ['the last instant of March of a client far to the west', monthEndMs('2025-03') + 10 * hourMs, '2025-04-01'],
    ['a report month, as the wire names it', monthToMs('2025-03'), '2025-04-01'],
    ['the same month as the start', monthToMs('2025-01'), '2025-02-01'],
    ["the start, at another client's own midnight", monthToMs('2025-01') + 6 * hourMs, '2025-02-01'],
  ])('reads %s', (_what, toMs, expected) => {
    expect(endDate('2025-01-01', toMs)).toBe(expected);
  });

  it.each([
    ['an end before the start', monthEndMs('2024-11')],
    ['an end years later', monthEndMs('2028-01')],
    ['an instant beyond all calendars', 1e20],
  ])('refuses %s', (_what, toMs) => {
    expect(() => endDate('2025-01-01', toMs)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
  });
});
