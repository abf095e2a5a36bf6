import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { useApp } from './app.ts';

const app = useApp();
const read = (name: string) => readFileSync(join(import.meta.dirname, '../../../deploy', name), 'utf8');

interface Dashboard {
  panels: { title: string; type: string; targets?: { expr: string }[] }[];
}
interface Alerts {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
}

/** The metrics that an expression reads; undefined when Prometheus could not parse it. */
function metricsOf(expression: string): string[] | undefined {
  const names: string[] = [];
  let isValid = true;
  parser.parse(expression).iterate({
    enter(node) {
      if (node.type.isError) isValid = false;
      if (node.name === 'Identifier' && node.matchContext(['VectorSelector'])) {
        names.push(expression.slice(node.from, node.to));
      }
    },
  });
  return isValid ? names : undefined;
}

test('the dashboard and the alerts use only metrics of /metrics, and all of Régie’s', async () => {
  await sql`INSERT INTO backups (name, size_bytes, is_encrypted) VALUES ('a', 1, true)`.execute(app.owner);
  const { body } = await app.app.inject({ url: '/metrics' });
  const types = new Map([...body.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]));
  const shown = [...types].flatMap(([name, type]) =>
    type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : [name],
  );
  const { panels } = JSON.parse(read('grafana-dashboard.json')) as Dashboard;
  const rules = (parse(read('regie-alerts.yml')) as Alerts).groups.flatMap((group) => group.rules);
  const asked = [
    ...panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
    ...rules.map(({ alert, expr }) => [alert, expr] as const),
  ];
  expect(rules.length).toBeGreaterThan(5);
  const used = asked.flatMap(([where, expr]) => {
    const names = metricsOf(expr);
    expect(names, `${where}: ${expr}`).toBeDefined();
    return names ?? [];
  });
  // Prometheus itself says whether a target answers.
  expect([...new Set(used)].filter((name) => name !== 'up' && !shown.includes(name))).toEqual([]);
  const ours = [...types.keys()].filter((name) => name.startsWith('regie_'));
  expect(ours.filter((name) => !used.some((one) => one.startsWith(name)))).toEqual([]);
});
