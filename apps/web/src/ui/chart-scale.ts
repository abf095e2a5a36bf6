/** Ticks on round values around a range that includes zero; at least two. */
export function roundTicks(low: number, high: number, wanted = 4): number[] {
  const from = Math.min(0, low);
  const to = Math.max(0, high);
  if (from === to) return [0, 1];
  const rough = (to - from) / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10) * power;
  const first = Math.floor(from / step);
  const last = Math.ceil(to / step);
  return Array.from({ length: last - first + 1 }, (_, index) => (first + index) * step);
}

export const labelStep = (columns: number, widthPx: number, labelPx: number): number =>
  Math.max(1, Math.ceil((columns * labelPx) / Math.max(1, widthPx)));

/** Moves heights apart so that labels do not cover each other, in their order from top to bottom and above `bottom`. */
export function spread(heights: readonly number[], gap: number, bottom: number): number[] {
  const order = heights.map((_, index) => index).sort((a, b) => (heights[a] ?? 0) - (heights[b] ?? 0));
  const placed: number[] = [];
  let limit = bottom;
  for (const index of order.toReversed()) {
    const at = Math.min(heights[index] ?? 0, limit);
    placed[index] = at;
    limit = at - gap;
  }
  return placed;
}
