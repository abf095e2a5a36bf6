import { describe, expect, it } from 'vitest';
import { routeTable } from './routes.ts';
import { platformHosts, type SmartlinkPlatform } from './smartlinks.ts';
import { completeUrl, isWebLink } from './web-link.ts';
import { z } from './zod.ts';

const hostile = [
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  ' javascript:alert(1)',
  'java\tscript:alert(1)',
  'java\nscript:alert(1)',
  '\u0001javascript:alert(1)',
  '\u200bjavascript:alert(1)',
  'javascript://exemple.fr/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'blob:https://exemple.fr/1',
];

interface Schema {
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}
const isLinkName = /url|link|href|website|homepage/i;

/** Fields that contain links, by name, and a valid value. */
function findLinks(schema: Schema, path: string[] = [], isWithin = false): string[][] {
  const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const properties = Object.entries(schema.properties ?? {});
  return [
    ...(isWithin && properties.length === 0 && inner.length === 0 ? [path] : []),
    ...properties.flatMap(([name, property]) =>
      findLinks(property, [...path, name], isWithin || isLinkName.test(name)),
    ),
    ...(schema.items ? findLinks(schema.items, [...path, '0'], isWithin) : []),
    ...inner.flatMap((part) => findLinks(part, path, isWithin)),
  ];
}
const nest = (path: readonly string[], value: string): unknown =>
  path.reduceRight<unknown>((inner, name) => (name === '0' ? [inner] : { [name]: inner }), value);

const fields = routeTable.flatMap((row) => {
  const schema = z.toJSONSchema(row.body, { io: 'input', unrepresentable: 'any' }) as Schema;
  const paths = new Set(findLinks(schema).map((path) => path.join('.')));
  return [...paths].map((path): [string, string, z.core.$ZodType] => [`${row.method} ${row.path}`, path, row.body]);
});

describe('every field of the contract that contains a link', () => {
  it('is found', () => {
    const names = new Set(fields.map(([, path]) => path));
    expect([...names]).toEqual(expect.arrayContaining(['publisherLink', 'url', 'urls.facebook', 'urls.apple-music']));
  });

  it.each(fields)('%s %s refuses schemes other than http and https', (_name, path, body) => {
    for (const value of hostile) {
      const { error } = z.safeParse(body, nest(path.split('.'), value));
      expect([value, error?.issues.some((issue) => issue.path.join('.') === path)]).toEqual([value, true]);
    }
  });
});

describe('an address typed without its scheme', () => {
  it.each(fields)('is accepted by %s %s, as are https and http', (_name, path, body) => {
    const host = platformHosts[path.replace('urls.', '') as SmartlinkPlatform]?.[0] ?? 'maison.fr';
    for (const value of [`www.${host}/a?b=1`, `https://www.${host}/a`, `http://www.${host}/a`]) {
      const { error } = z.safeParse(body, nest(path.split('.'), value));
      expect([value, error?.issues.some((issue) => issue.path.join('.') === path)]).toEqual([value, false]);
    }
  });

  it.each([
    ['www.maison.fr', 'https://www.maison.fr'],
    [' youtu.be/abc?t=1:02 ', 'https://youtu.be/abc?t=1:02'],
    ['maison.fr:8443#x', 'https://maison.fr:8443#x'],
    ['müsik.example/é', 'https://müsik.example/é'],
    ['http://maison.fr', 'http://maison.fr'],
    ['HTTPS://maison.fr', 'HTTPS://maison.fr'],
    ['ftp://maison.fr', 'ftp://maison.fr'],
    ['a.b:alert(1)', 'a.b:alert(1)'],
    ['Maison Nord', 'Maison Nord'],
    ['spotify', 'spotify'],
    ['', ''],
  ])('%j is completed to %j', (text, completed) => {
    expect(completeUrl(text)).toBe(completed);
  });
});

it.each(['https://maison.fr', 'http://maison.fr/a:b', 'www.maison.fr', 'maison.fr/a?b=c:d', ''])(
  'accepts %j',
  (text) => {
    expect(isWebLink(text)).toBe(true);
  },
);
