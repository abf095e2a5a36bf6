import { monthToMs } from '@regie/values/month.ts';
import { expect, it } from 'vitest';
import { messages } from './messages.ts';
import { routes } from './routes.ts';

const nextYear = new Date().getFullYear() + 1;
const person = (id: unknown) => [{ id, fullname: 'Ana', role: 'Primary Artist' }];
const track = routes.addTrack.body;
const release = routes.createRelease.body;
const report = routes.createYoutubeReport.body;

it.each([
  [track, { yearOfRegistration: '2020' }, 'yearOfRegistration', messages.invalidYear],
  [track, { yearOfRegistration: 'deux mille' }, 'yearOfRegistration', messages.invalidYear],
  [track, { yearOfRegistration: 2020.5 }, 'yearOfRegistration', messages.invalidYear],
  [track, { yearOfRegistration: '' }, 'yearOfRegistration', messages.required],
  [track, {}, 'yearOfRegistration', messages.required],
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
  [report, {}, 'userId', messages.required],
  [release, { barcode: '36152345678' }, 'barcode', messages.barcodeLength(11)],
  [release, { barcode: '3615234567891234567' }, 'barcode', messages.barcodeLength(19)],
  [release, { barcode: '36152345678X3' }, 'barcode', messages.barcodeDigits],
  [release, { barcode: '3760111111111' }, 'barcode', messages.barcodeCheck],
  [report, { fromDate: monthToMs('2019-12') }, 'fromDate', messages.monthTooEarly],
  [report, { fromDate: monthToMs('2025-03') + 10 * 86_400_000 }, 'fromDate', messages.notAMonth],
  [report, { fromDate: monthToMs('2150-01') }, 'fromDate', messages.notAMonth],
  [report, { fromDate: 'mars' }, 'fromDate', messages.invalidMonth],
  [report, {}, 'fromDate', messages.invalidMonth],
])('the message for a field names what is wrong with it (%#)', (schema, values, path, message) => {
  const found = schema.safeParse(values).error?.issues.filter((issue) => issue.path.join('.') === path);
  expect(found?.map((issue) => issue.message)).toEqual([message]);
});
