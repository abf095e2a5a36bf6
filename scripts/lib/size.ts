import { execFileSync } from 'node:child_process';

const counted = /\.(ts|tsx|mjs|sql|css)$/;
const left = /\.(test|spec|fixtures)\.|\.generated\.|(^|\/)(demo|bench|e2e|test)\//;

/** Lines by area of the working tree or of a revision, without tests, fixtures, generated code, demo and bench. */
function countLines(root: string, revision: string[] = []): Map<string, number> {
  const counts = execFileSync('git', ['grep', '-c', '', ...revision], { cwd: root, encoding: 'utf8' });
  const areas = new Map<string, number>();
  for (const line of counts.trim().split('\n')) {
    const [path = '', count] = line.split(':').slice(-2);
    if (!counted.test(path) || left.test(path)) continue;
    const area = path
      .split('/')
      .slice(0, /^(apps|packages)\//.test(path) ? 2 : 1)
      .join('/');
    areas.set(area, (areas.get(area) ?? 0) + Number(count));
  }
  return areas;
}

/** Lines by area, beside those of the last tag; empty outside a git checkout. */
export function describeSize(root: string): string {
  try {
    const now = countLines(root);
    const tag = execFileSync('git', ['tag', '--merged', 'HEAD', '--sort=-creatordate'], {
      cwd: root,
      encoding: 'utf8',
    }).split('\n')[0];
    const before = tag ? countLines(root, [tag]) : undefined;
    const total = (areas: Map<string, number>) => [...areas.values()].reduce((sum, count) => sum + count, 0);
    const rows = [...now].toSorted(([, one], [, other]) => other - one);
    return [...rows, ['in all', total(now)] as const]
      .map(([area, count]) => {
        const old = before && (area === 'in all' ? total(before) : (before.get(area) ?? 0));
        return `${area.padEnd(28)}${String(count).padStart(8)}${old === undefined ? '' : String(old).padStart(10)}`;
      })
      .join('\n')
      .replace(/^/, `Lines${tag ? `, beside those of ${tag}` : ''}:\n`);
  } catch {
    return '';
  }
}
