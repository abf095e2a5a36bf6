import type { RoyaltyRecord } from '@regie/contract/routes/royalty-statements.ts';
import { formatInteger, formatMoney, parseNumber } from '@regie/values/formats.ts';
import { extractText, getDocumentProxy } from 'unpdf';
import { expect, it } from 'vitest';
import { installedFonts } from './installed-fonts.ts';
import { sumOf } from './movement-labels.ts';
import { prepareDocument } from './prepare.ts';
import { printDocument } from './print.ts';
import { royaltyExample } from './royalty-statement.fixtures.ts';
import { royaltyDocument } from './royalty-statement.ts';

const plain = (text: string) => text.replaceAll('\u00a0', ' ');

async function print(record: RoyaltyRecord) {
  const blob = await printDocument(await prepareDocument(royaltyDocument(record).document, installedFonts));
  const { totalPages, text } = await extractText(await getDocumentProxy(new Uint8Array(await blob.arrayBuffer())), {
    mergePages: true,
  });
  return { totalPages, text: plain(text) };
}
/** The cents that follow a label. */
function centsAfter(text: string, label: string): number {
  const amount = new RegExp(`${label}\\s+([−\\d ]+,\\d\\d) €`).exec(text)?.[1];
  return Math.round((parseNumber(amount ?? '') ?? Number.NaN) * 100);
}
const large = { tracks: 5000, stores: 250, others: 300 };
const repeated = (text: string) => text.repeat(Math.ceil(300 / text.length));

it('leads from the opening to the closing, and lists all when it is short', async () => {
  const { text, totalPages } = await print(royaltyExample({ tracks: 12, stores: 3, others: 2 }));
  expect(totalPages).toBe(2);
  const movements = ['Revenus', 'Parrainages', 'Corrections', 'Versements et retours', 'Régularisations'];
  const cents = ['Report à nouveau', ...movements].map((label) => centsAfter(text, label));
  expect(cents.reduce((sum, one) => sum + one, 0)).toBe(centsAfter(text, 'Solde'));
  expect(text).toContain('Relevé n° 3');
  expect(text).toContain('Versements demandés, pas encore payés, déjà déduits du solde : 50,00 €');
  for (const part of ['Titre 12 FRZ032600011 12 000 5,08 €', 'Plateforme 3 298,00 €', 'Geste commercial 2,00 €'])
    expect(text).toContain(part);
  expect(text).not.toMatch(/\bet \d+ autres?\b/);
});

it('sums up what has no room, in at most six pages', async () => {
  const record = royaltyExample(large, repeated('une raison qui explique '));
  const { text, totalPages } = await print(record);
  expect(totalPages).toBe(6);
  const printed = new Set(text.match(/FRZ0326\d{5}/g));
  const { tracks } = record.income;
  const [shown, others] = [true, false].map((isShown) =>
    tracks.filter(({ isrc }) => printed.has(isrc ?? '') === isShown),
  );
  const amountsOf = (parts: typeof tracks = []) =>
    plain(
      `${formatInteger(parts.reduce((sum, { quantity }) => sum + (quantity ?? 0), 0))} ${formatMoney(sumOf(parts), 'EUR')}`,
    );
  expect(shown?.length).toBeGreaterThan(40);
  for (const track of shown ?? []) expect(text).toContain(`${track.isrc} ${amountsOf([track])}`);
  expect(text).toContain(`et ${plain(formatInteger(others?.length ?? 0))} autres titres ${amountsOf(others)}`);
  for (const part of [
    '230 autres plateformes',
    '285 autres versements',
    '292 autres corrections',
    'et 285 autres parr',
  ])
    expect(text).toContain(part);
});

it.each(['W', 'أغنية الليل ', '美空ひばり', '🎵', 'สวัสดีครับ'])(
  'has at most six pages with names, titles and reasons of 300 characters: %s',
  { tags: ['slow'] },
  async (letters) => {
    expect((await print(royaltyExample(large, repeated(letters)))).totalPages).toBeLessThanOrEqual(6);
  },
);

it('prints an Arabic title in its letters, without moving the amounts', async () => {
  const { text } = await print(royaltyExample({ tracks: 1, stores: 1, others: 0 }, 'أغنية الليل'));
  expect(text).toContain('Titre 1 أغنية الليل FRZ032600000 1 000 1,01 €');
});
