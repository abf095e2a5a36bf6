import type { LicenceContract } from '@regie/contract/routes/contracts.ts';
import type { Settings } from '@regie/contract/settings.ts';

/** What the preview of a template is filled with: nobody's release. */
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
      title: `Piste d’exemple ${index + 1}`,
      version: null,
      artists: 'Les Exemples',
      isrc: `FRX1226${String(index + 1).padStart(5, '0')}`,
    })),
  };
}
