import type { IncomeKind } from '@regie/contract/statements.ts';
import { foldName } from '@regie/values/search-text.ts';
import { expect, it } from 'vitest';
import { currencySign, readCountry, readIsrc, readKind, readUpc } from './values.ts';

it.each([
  ['FR', 'FR'],
  ['FRA', 'FR'],
  ['France', 'FR'],
  ['Allemagne', 'DE'],
  ['Deutschland', 'DE'],
  ['Germany', 'DE'],
  ['Россия', 'RU'],
  ['España', 'ES'],
  ['UK', 'GB'],
  ['USA', 'US'],
  ['États-Unis', 'US'],
  ['Moldova', 'MD'],
  ['Korea, Republic of', 'KR'],
  ['Côte d’Ivoire', 'CI'],
  ['', ''],
  ['Worldwide', ''],
  ['NA', 'NA'],
  ['N/A', ''],
  ['n.a.', ''],
  ['ZZ', ''],
  ['OU', ''],
  ['WW', ''],
])('the country of %j is %j', (text, country) => {
  expect(readCountry(text)).toBe(country);
});

it.each<[string, string, IncomeKind]>([
  ['', 'Spotify', 'stream'],
  ['', 'iTunes', 'download'],
  ['', 'Beatport', 'download'],
  ['', 'YouTube (Ads)', 'video'],
  ['', 'YouTube Music', 'stream'],
  ['', 'YouTube Premium', 'stream'],
  ['Track Download', 'Spotify', 'download'],
  ['Single Track Stream', 'iTunes', 'stream'],
  ['Video stream', 'Deezer', 'video'],
  ['v', 'Deezer', 'video'],
  ['vinyl', 'Deezer', 'stream'],
])('the income %j of %s is a %s', (type, store, kind) => {
  const kinds = { stream: ['stream'], download: ['download', 'track'], video: ['video', 'v'] };
  expect(readKind(type, store, { kinds })).toBe(kind);
});

it('uses the preset’s kind unless the file has a kind', () => {
  expect(readKind('', 'YouTube', { kind: 'download', kinds: {} })).toBe('download');
  expect(readKind('Stream', 'YouTube', { kind: 'download', kinds: { stream: ['stream'] } })).toBe('stream');
});

it.each([
  ['frabc2400001', 'FRABC2400001'],
  ['FR-ABC-24-00001', 'FRABC2400001'],
  ['ISRC FR ABC 24 00001', 'FRABC2400001'],
  ['FRABC240000', undefined],
  ['N/A', undefined],
])('the ISRC of %j is %j', (text, isrc) => {
  expect(readIsrc(text)).toBe(isrc);
});

it.each([
  ['3700000000017', '3700000000017'],
  ['"0123456789012" ', '0123456789012'],
  ['123456789012.0', '123456789012'],
  ['1.23457E+12', undefined],
  ['Empty:', undefined],
  ['N/A', undefined],
])('the barcode of %j is %j', (text, upc) => {
  expect(readUpc(text)).toBe(upc);
});

it.each([
  ['£0.0032 × 100% of sale × 0.985 £/£ = £', '£'],
  ['€1,20 × 85% × 0.9 £/€ = £ 1,02', '£'],
  ['1 = -US$0.5', 'US$'],
  ['1 × 2 = 0,0031\u00a0€', '€'],
  ['', ''],
  ['$5', '$'],
])('the formula %j ends in %j', (formula, sign) => {
  expect(currencySign(formula)).toBe(sign);
});

it('names are compared without case, accents, spaces and symbols', () => {
  expect(foldName(' Partner\u00a0Revenue : Auction ')).toBe(foldName('partner revenue: auction'));
  expect(foldName('Écoutes')).toBe('ecoutes');
  expect(foldName('Месяц отчета')).toBe(foldName('МЕСЯЦ ОТЧЁТА'));
});
