import { monthToMs } from '@regie/values/month.ts';
import { expect, it } from 'vitest';
import { fieldNames } from './field-names.ts';
import { messages } from './messages.ts';
import { routes } from './routes.ts';
import { z } from './zod.ts';

const nextYear = new Date().getFullYear() + 1;
const person = (id: unknown) => [{ id, fullname: 'Ana', role: 'Primary Artist' }];
const track = routes.addTrack.body;
const release = routes.createRelease.body;
const report = routes.createYoutubeReport.body;

it.each([
  [track, { yearOfRegistration: '2020' }, 'yearOfRegistration', messages.invalidYear],
  [track, { yearOfRegistration: 'deux mille' }, 'yearOfRegistration', messages.invalidYear],
  [track, { yearOfRegistration: 2020.5 }, 'yearOfRegistration', messages.invalidYear],
  [track, { yearOfRegistration: '' }, 'yearOfRegistration', messages.required('année d’enregistrement')],
  [track, {}, 'yearOfRegistration', messages.required('année d’enregistrement')],
  [track, { yearOfRegistration: 1500 }, 'yearOfRegistration', messages.yearRange(1860, nextYear)],
  [track, { yearOfRegistration: nextYear + 1 }, 'yearOfRegistration', messages.yearRange(1860, nextYear)],
  [track, { artists: person(0) }, 'artists.0.id', messages.unknownPerson],
  [track, { artists: person(-3) }, 'artists.0.id', messages.unknownPerson],
  [track, { artists: person(1.5) }, 'artists.0.id', messages.unknownPerson],
  [track, { libraryId: 0 }, 'libraryId', messages.invalidId],
  [report, { userId: '1' }, 'userId', messages.quotedNumber],
  [report, { userId: 1.5 }, 'userId', messages.invalidId],
  [report, { incomeOfYoutube: '12.5' }, 'incomeOfYoutube', messages.quotedNumber],
  [report, { incomeOfYoutube: [] }, 'incomeOfYoutube', messages.notANumber],
  [report, {}, 'userId', messages.required('compte')],
  [release, { barcode: '36152345678' }, 'barcode', messages.barcodeLength(11)],
  [release, { barcode: '3615234567891234567' }, 'barcode', messages.barcodeLength(19)],
  [release, { barcode: '36152345678X3' }, 'barcode', messages.barcodeDigits],
  [release, { barcode: '3760111111111' }, 'barcode', messages.barcodeCheck],
  [report, { fromDate: monthToMs('2019-12') }, 'fromDate', messages.monthTooEarly],
  [report, { fromDate: monthToMs('2025-03') + 10 * 86_400_000 }, 'fromDate', messages.notAMonth],
  [report, { fromDate: monthToMs('2150-01') }, 'fromDate', messages.notAMonth],
  [report, { fromDate: 'mars' }, 'fromDate', messages.invalidMonth],
  [report, {}, 'fromDate', messages.invalidMonth],
  [track, { title: ' ' }, 'title', 'Champ requis\u00a0: titre'],
  [track, { artists: [{ fullname: null, role: '' }] }, 'artists.0.fullname', messages.required('nom')],
  [track, { artists: 'Ana' }, 'artists', 'Indiquez une liste'],
  [track, { title: true }, 'title', 'Indiquez un texte'],
  [track, { noVoice: 'oui' }, 'noVoice', 'Indiquez true ou false, sans guillemets'],
])('the message for a field names its fault (%#)', (schema, values, path, message) => {
  const found = schema.safeParse(values).error?.issues.filter((issue) => issue.path.join('.') === path);
  expect(found?.map((issue) => issue.message)).toEqual([message]);
});

it.each(['true', 1, null, undefined])('the message for a payout with downloaded = %o names the type', (download) => {
  const [issue] = routes.markPayoutDownloaded.body.safeParse({ download }).error?.issues ?? [];
  expect(issue?.message).toBe('Indiquez true ou false, sans guillemets');
});

it('the message for a too long text or list names the limit, also for fields with their own message', () => {
  const inherited: string[] = [];
  const seen = new Set<unknown>();
  const walk = (part: unknown, path: string): void => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return;
    seen.add(part);
    if (part instanceof z.core.$ZodType) {
      const { error, checks = [] } = part._zod.def;
      const limits = checks.filter(({ _zod }) => _zod.def.check === 'max_length' && !_zod.def.error);
      if (error && limits.length > 0) inherited.push(path);
      walk(part._zod.def, path);
    } else for (const [name, value] of Object.entries(part)) walk(value, `${path}.${name}`);
  };
  for (const [name, { body }] of Object.entries(routes)) walk(body, name);
  // What is too long is as wrong as what has expired.
  expect(inherited.filter((path) => !path.endsWith('.token'))).toEqual([]);
});

it('every field that a call requires has a French name in its message', () => {
  const unnamed = new Set<string>();
  const seen = new Set<unknown>();
  const walk = (part: unknown): void => {
    if (typeof part !== 'object' || part === null || seen.has(part)) return;
    seen.add(part);
    if (part instanceof z.core.$ZodObject) {
      const { shape } = part._zod.def;
      for (const { path, message } of z.safeParse(part, {}).error?.issues ?? []) {
        const field = String(path.at(-1));
        const isNamed = field in fieldNames || message !== messages.required(field);
        if (path.length > 0 && (!isNamed || message === messages.invalidData)) unnamed.add(field);
      }
      // A browser answers for its authenticator, in the words of their standard.
      for (const [field, value] of Object.entries(shape)) if (field !== 'passkey') walk(value);
    } else if (part instanceof z.core.$ZodType) walk(part._zod.def);
    else for (const value of Object.values(part)) walk(value);
  };
  for (const { body } of Object.values<{ body: unknown }>(routes)) walk(body);
  expect([...unnamed]).toEqual([]);
});
