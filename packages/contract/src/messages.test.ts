import { monthToMs } from '@regie/values/month.ts';
import { expect, it } from 'vitest';
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
])('the message for a field names what is wrong with it (%#)', (schema, values, path, message) => {
  const found = schema.safeParse(values).error?.issues.filter((issue) => issue.path.join('.') === path);
  expect(found?.map((issue) => issue.message)).toEqual([message]);
});

it.each(['true', 1, null, undefined])('what marks a payout as downloaded names its type when it is %o', (download) => {
  const [issue] = routes.markPayoutDownloaded.body.safeParse({ download }).error?.issues ?? [];
  expect(issue?.message).toBe('Indiquez true ou false, sans guillemets');
});

it('a field that a call requires is named in its message', () => {
  const rows: { method: string; path: string; body: z.core.$ZodType }[] = Object.values(routes);
  const unnamed = rows.flatMap(({ method, path, body }) =>
    (z.safeParse(body, {}).error?.issues ?? [])
      .filter((issue) => issue.path.length > 0 && issue.message === messages.invalidData)
      .map((issue) => `${method} ${path}: ${issue.path.join('.')}`),
  );
  expect(unnamed).toEqual([]);
});
