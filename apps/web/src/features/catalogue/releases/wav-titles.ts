/** What precedes a track number, its disc, the number and the title. Before a mere space, only `03` or `1-03` is clear. */
const numbered =
  /^(?:.*?\s[-–—]\s+)?(?:(?:track|piste)\s+)?(?:(\d)-(?=\d\d\b))?(\d{1,3})(?:\s*[-–—.)](?!\d)|(?<=\b0\d+|-\d\d)\s)\s*(.+)$/i;
const counted = /^(?:.*?\s[-–—]\s+)?(?:(?:track|piste)\s+)?()(\d{1,3})\s+(.+)$/i;

/** The titles that files name, without number, and where they come: those without a number last. */
export function namedTracks(names: readonly string[]): { title: string; order: number }[] {
  const stems = names.map((name) =>
    name
      .replace(/\.wav$/i, '')
      .normalize()
      .replaceAll(/[_\s]+/g, ' ')
      .trim(),
  );
  // Numbers that follow each other, or clear ones up to as many as the files, count tracks; `99 Luftballons` is a title.
  const numbers = stems.flatMap((stem) => (stem.match(numbered) ?? stem.match(counted))?.[2] ?? []).map(Number);
  const areCounted =
    numbers.length > 1 &&
    new Set(numbers).size === numbers.length &&
    (Math.max(...numbers) - Math.min(...numbers) === numbers.length - 1 ||
      (stems.some((stem) => numbered.test(stem)) && Math.max(...numbers) <= stems.length));
  const tracks = stems.map((stem) => {
    const [, disc, track, title] = stem.match(numbered) ?? (areCounted ? stem.match(counted) : null) ?? [];
    return title ? { title, order: Number(disc ?? 0) * 1000 + Number(track) } : { title: stem, order: Infinity };
  });
  // An artist or an album that all of them begin with.
  const titles = tracks.map(({ title }) => title).toSorted();
  const [first = '', last = ''] = [titles[0], titles.at(-1)];
  let shared = titles.length > 1 ? first : '';
  while (!last.startsWith(shared)) shared = shared.slice(0, -1);
  const start = shared.match(/^.*\s[-–—]\s+/)?.[0].length ?? 0;
  return tracks.map((track) => ({ ...track, title: track.title.slice(start) }));
}
