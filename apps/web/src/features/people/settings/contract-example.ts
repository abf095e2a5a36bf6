import type { CustomContractDocument } from '@regie/contract/routes/custom-contracts.ts';
import type { LicenceContract } from '@regie/contract/routes/licence-contract.ts';
import type { House, Settings } from '@regie/contract/settings.ts';
import { formatLongDate } from '@regie/values/formats.ts';

export function exampleContract(
  settings: Pick<
    Settings,
    'house' | 'licenceYears' | 'licenceTemplate' | 'libraryIncomePercentile' | 'youtubeChannelIncomePercentile'
  >,
): LicenceContract {
  return {
    template: settings.licenceTemplate,
    house: settings.house,
    licenceYears: settings.licenceYears,
    customer: {
      id: 1,
      company: null,
      fname: 'Camille',
      lname: 'Exemple',
      email: 'camille@exemple.fr',
      address: '12 rue des Lilas',
      address2: null,
      postcode: '75020',
      city: 'Paris',
      country: 'France',
      libraryPercentile: settings.libraryIncomePercentile,
      youtubePercentile: settings.youtubeChannelIncomePercentile,
    },
    release: {
      id: 1,
      title: 'Titre d’exemple',
      version: null,
      artist: 'Les Exemples',
      label: '',
      barcode: '0012345678905',
      digitalReleaseDate: '01/03/2026',
      recordingOwnerName: 'Camille Exemple',
      territories: ['all'],
    },
    tracks: Array.from({ length: 12 }, (_, index) => ({
      title: `Titre d’exemple ${index + 1}`,
      version: null,
      artists: 'Les Exemples',
      isrc: `FRX1226${String(index + 1).padStart(5, '0')}`,
    })),
  };
}

export function exampleCustomContract(
  house: House,
  kind: string,
  { label, template }: { label: string; template: string },
): CustomContractDocument {
  const now = Date.now();
  return {
    id: 1,
    kind,
    title: label,
    Account: { id: 1, fname: 'Camille', lname: 'Exemple' },
    createdAt: now,
    createdBy: null,
    template,
    values: {
      maison: house.name,
      maison_adresse: [house.address.replaceAll('\n', ', '), `${house.postcode} ${house.city}`.trim()]
        .filter(Boolean)
        .join(', '),
      maison_siren: house.siren,
      maison_tva: house.vatNumber,
      maison_email: house.email,
      client: 'Camille Exemple',
      client_adresse: '12 rue des Lilas, 75020 Paris, France',
      client_email: 'camille@exemple.fr',
      date: formatLongDate(now),
    },
  };
}
