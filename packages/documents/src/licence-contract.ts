import {
  type ContractBlock,
  type ContractPart,
  type ContractPlaceholder,
  type ContractValues,
  contractPlaceholders,
  fillTemplate,
} from '@regie/contract/licence-contract.ts';
import type { LicenceContract } from '@regie/contract/routes/licence-contract.ts';
import { countryName } from '@regie/values/countries.ts';
import { formatLongDate, formatPercent, plural, slug } from '@regie/values/formats.ts';
import type { Column, Content, TableCell } from 'pdfmake/interfaces.js';
import { frDocuments } from './documents.fr.ts';
import { isolateDirection } from './mixed-scripts.ts';
import { head, type PdfFile } from './parts.ts';

const t = frDocuments.contract;

const maxUnbrokenCharacters = 900;
export const blankLine = '……………………';
const joined = (parts: readonly (string | null)[], separator: ', ' | ' ') =>
  parts
    .map((part) => part?.trim() ?? '')
    .filter(Boolean)
    // The words of one name keep their own direction, the parts of an address follow the document's.
    .map((part) => (separator === ' ' ? part : isolateDirection(part)))
    .join(separator);
const withVersion = ({ title, version }: { title: string; version: string | null }) =>
  version ? `${title} (${version})` : title;
const rest = (percent: number) => formatPercent((10_000 - Math.round(percent * 100)) / 100);

function territoryNames(territories: readonly string[]): string {
  if (territories.includes('all')) return t.world;
  return territories.map(countryName).toSorted(new Intl.Collator('fr').compare).join(', ');
}

const customerName = ({ company, fname, lname }: LicenceContract['customer']) =>
  company?.trim() || joined([fname, lname], ' ');

function valuesOf(contract: LicenceContract, nowMs: number): ContractValues {
  const { house, customer, release, tracks } = contract;
  return {
    maison: house.name,
    // A country alone is not an address.
    maison_adresse:
      house.address || house.city
        ? joined([house.address.replaceAll('\n', ', '), joined([house.postcode, house.city], ' '), house.country], ', ')
        : '',
    maison_siren: house.siren.replaceAll(/(\d{3})(?=\d)/g, '$1\u00a0'),
    maison_tva: house.vatNumber,
    maison_email: house.email,
    client: customerName(customer),
    client_adresse: joined(
      [customer.address, customer.address2, joined([customer.postcode, customer.city], ' '), customer.country],
      ', ',
    ),
    client_email: customer.email ?? '',
    titre: withVersion(release),
    artiste: release.artist ?? '',
    label: release.label || t.freeLabel,
    code_barres: release.barcode ?? '',
    date_sortie: release.digitalReleaseDate ?? '',
    proprietaire: release.recordingOwnerName ?? '',
    nombre_titres: plural(tracks.length, t.track, t.tracks).replace(' ', '\u00a0'),
    territoires: territoryNames(release.territories),
    duree: plural(contract.licenceYears, t.year, t.years).replace(' ', '\u00a0'),
    part: formatPercent(customer.libraryPercentile),
    part_maison: rest(customer.libraryPercentile),
    part_video: formatPercent(customer.youtubePercentile),
    part_video_maison: rest(customer.youtubePercentile),
    date: formatLongDate(nowMs),
  };
}

const trackTable = (tracks: LicenceContract['tracks']): Content => ({
  layout: 'lines',
  margin: [0, 4, 0, 8],
  fontSize: 9,
  table: {
    headerRows: 1,
    keepWithHeaderRows: 1,
    dontBreakRows: true,
    widths: [22, '*', '*', 82],
    body: [
      [head(t.number), head(t.title), head(t.artists), head('ISRC')],
      ...tracks.map((track, index): TableCell[] => [
        String(index + 1),
        withVersion(track),
        track.artists || t.none,
        track.isrc ?? t.none,
      ]),
    ],
  },
});

/** Half of the page each: a fixed width breaks a name without spaces; `*` would let it push the other column out. */
const partyWidthPt = 230;

export function signatures(house: string, customer: string): Content {
  const box = (name: string): Column => ({
    width: partyWidthPt,
    stack: [
      { text: t.signedBy(name), bold: true },
      { text: t.signatureHint, style: 'small' },
      {
        margin: [0, 6, 0, 0],
        canvas: [{ type: 'rect', x: 0, y: 0, w: 225, h: 80, lineWidth: 0.5, lineColor: '#cfd1d8' }],
      },
    ],
  });
  return { unbreakable: true, margin: [0, 16, 0, 0], columnGap: 20, columns: [box(house), box(customer)] };
}

const show = (part: ContractPart, showBlock: (block: ContractBlock) => Content): Content => {
  if (part.kind === 'block') return showBlock(part.block);
  if (part.kind === 'list') return { ul: part.items, margin: [0, 0, 0, 6] };
  if (part.kind === 'title') return { text: part.text, style: 'title' };
  if (part.kind === 'heading') return { text: part.text, style: 'heading', headlineLevel: 1 };
  // Not justified: pdfmake would also stretch hyphenated words. A short paragraph is not split across pages.
  return { stack: [part.text], unbreakable: part.text.length < maxUnbrokenCharacters, margin: [0, 0, 0, 6] };
};

/** A heading and a short paragraph form one block: pdfmake leaves a heading alone at the end of a page. */
export function renderParts(parts: readonly ContractPart[], showBlock: (block: ContractBlock) => Content): Content[] {
  const isShort = (part: ContractPart | undefined) =>
    part?.kind === 'paragraph' && part.text.length < maxUnbrokenCharacters;
  return parts.flatMap((part, index) => {
    const next = parts[index + 1];
    if (isShort(part) && parts[index - 1]?.kind === 'heading') return [];
    const isBlock = part.kind === 'heading' && next && isShort(next);
    return isBlock
      ? { stack: [show(part, showBlock), show(next, showBlock)], unbreakable: true }
      : show(part, showBlock);
  });
}

export function fillLicence(contract: LicenceContract, nowMs: number) {
  const names = Object.keys(contractPlaceholders) as ContractPlaceholder[];
  const given = valuesOf(contract, nowMs);
  const values: ContractValues = {
    ...given,
    ...Object.fromEntries(names.map((name) => [name, isolateDirection(given[name])])),
  };
  const missing = names.filter((name) => values[name] === '' && contract.template.includes(`{${name}}`));
  const filled: ContractValues = { ...values, ...Object.fromEntries(missing.map((name) => [name, blankLine])) };
  return { parts: fillTemplate(contract.template, filled), values: filled, missing };
}

/** The pdfmake document of a release's licence contract (product §12.7). */
export function contractDocument(contract: LicenceContract, nowMs: number): PdfFile & { missing: string[] } {
  const { parts, values, missing } = fillLicence(contract, nowMs);
  const title = isolateDirection(withVersion(contract.release));
  return {
    document: {
      title: t.documentTitle(title),
      content: renderParts(parts, (block) =>
        block === 'titres' ? trackTable(contract.tracks) : signatures(values.maison, values.client),
      ),
      footer: t.documentTitle(title),
    },
    fileName: t.fileName([slug(customerName(contract.customer)), slug(contract.release.title)], contract.release.id),
    missing: missing.map((name) => contractPlaceholders[name]),
  };
}
