import { defaultContractTemplate } from '@regie/contract/licence-contract.ts';
import type { LicenceContract } from '@regie/contract/routes/licence-contract.ts';
import { defaultSettings } from '@regie/contract/settings.ts';
import { expect, it } from 'vitest';
import { contractDocument } from './licence-contract.ts';

const contract: LicenceContract = {
  template: defaultContractTemplate,
  house: {
    ...defaultSettings.house,
    name: 'Marée Haute',
    siren: '918273640',
    address: '18, quai\nBât. B',
    city: 'Nantes',
  },
  licenceYears: 1,
  customer: {
    id: 7,
    company: null,
    fname: 'Awa',
    lname: 'Diallo',
    email: null,
    address: null,
    address2: null,
    postcode: null,
    city: null,
    country: null,
    libraryPercentile: 82.5,
    youtubePercentile: 66.67,
  },
  release: {
    id: 42,
    title: 'Été à l’Œuvre',
    version: 'Remix',
    artist: 'Trio {maison}',
    label: '',
    barcode: null,
    digitalReleaseDate: '01/03/2026',
    recordingOwnerName: 'Awa Diallo',
    territories: ['FR', 'BE'],
  },
  tracks: [{ title: 'Aurore', version: null, artists: 'Awa', isrc: 'FRZ039800213' }],
};
const firstOfMarch = Date.UTC(2026, 2, 1, 12);
const textOf = (given: LicenceContract) => JSON.stringify(contractDocument(given, firstOfMarch).document.content);

it('contains the parties, release, territories, term and shares', () => {
  const text = textOf(contract);
  for (const said of [
    'Marée Haute, 18, quai, Bât. B, Nantes, France, immatriculée sous le numéro SIREN 918\u00a0273\u00a0640',
    'Awa Diallo, ……',
    'Été à l’Œuvre (Remix)',
    // Placeholders in values are not replaced.
    'de Trio {maison} (label\u00a0: label numérique gratuit',
    'comprend 1\u00a0titre,',
    'La licence vaut pour\u00a0: Belgique, France.',
    'concédée pour 1\u00a0an ',
    '82,5\u00a0% des revenus',
    'conservant 17,5\u00a0%',
    '66,67\u00a0% des revenus',
    'conservant 33,33\u00a0%',
    'le 1er mars 2026',
    'FRZ039800213',
  ])
    expect(text).toContain(said);
});

it('lists the fields of the template without a value', () => {
  const { missing, fileName } = contractDocument(contract, firstOfMarch);
  expect(missing).toEqual([
    'Numéro de TVA du distributeur',
    'E-mail du distributeur',
    'Adresse du client',
    'E-mail du client',
    'Code-barres',
  ]);
  expect(fileName).toBe('contrat-awa-diallo-ete-a-l-oeuvre-42.pdf');
  expect(contractDocument({ ...contract, template: '{titres}\n{signatures}' }, firstOfMarch).missing).toEqual([]);
});

it('supports all territories, a company, and a title without Latin letters', () => {
  const given: LicenceContract = {
    ...contract,
    customer: { ...contract.customer, company: 'Ararat SAS' },
    release: { ...contract.release, title: 'ليل', territories: ['all'] },
  };
  expect(textOf(given)).toContain('le monde entier');
  expect(textOf(given)).toContain('Pour Ararat SAS');
  expect(contractDocument(given, firstOfMarch).fileName).toBe('contrat-ararat-sas-42.pdf');
});
