import { blank, clear, credit, type Entity, labelsOf, type Tables, toPage } from '#src/entity.ts';
import { fieldNames } from '#src/field-names.ts';
import { aiContributions, qualityReasons, releaseStatuses } from '#src/releases.ts';
import { common } from './common.ts';

export const release = {
  label: 'Sortie',
  link: toPage('/library/release'),
  isOfAccount: true,
  actions: {
    'release.create': 'Sortie créée',
    'release.delivery': 'Diffusion modifiée',
    'release.paid': 'Sortie passée au contrôle qualité',
    'release.deliver': 'Sortie livrée',
    'release.edit': 'Sortie modifiée',
    'release.withdraw': 'Sortie retirée',
    'release.close': 'Sortie clôturée',
    'release.reopen': 'Sortie rouverte',
    'release.delete': 'Sortie supprimée',
    'release.cover': 'Pochette changée',
    'release.import_tracks': 'Titres importés',
    'release.order_tracks': 'Ordre des titres modifié',
    'release.declare_ai': 'Part de l’IA déclarée',
  },
  fields: {
    status: [labelsOf(releaseStatuses), 'état'],
    genre: ['text', 'genre'],
    subgenre: ['text', 'sous-genre'],
    language: ['text', fieldNames.language],
    version: ['text', fieldNames.version],
    barcode: ['code', fieldNames.barcode],
    catalogNumber: ['code', 'numéro de catalogue'],
    originalRealeaseDate: ['day', fieldNames.originalRealeaseDate],
    originalReleaseDate: ['day', 'date de sortie originale'],
    digitalReleaseDate: ['day', fieldNames.digitalReleaseDate],
    digitalGenre: ['text', 'genre de diffusion'],
    digitalSubgenre: ['text', 'sous-genre de diffusion'],
    yearOfRegistration: ['figure', fieldNames.yearOfRegistration],
    coverDetailsYear: ['figure', 'année de la pochette'],
    recordingAi: [labelsOf(aiContributions), fieldNames.recordingAi],
    compositionAi: [labelsOf(aiContributions), fieldNames.compositionAi],
    coverAi: [labelsOf(aiContributions), fieldNames.coverAi],
    coverFileId: ['figure', 'numéro du fichier'],
    confirmedQuality: [labelsOf(qualityReasons), 'défauts acceptés'],
    tracks: ['number', 'nombre de titres'],
    trackIds: ['#track', 'ordre des titres'],
    platforms: ['platform', 'plateformes'],
    territories: ['territory', 'territoires'],
    hasExpressDelivery: ['boolean', 'livraison express'],
    created: ['number', 'titres ajoutés'],
    completed: ['number', 'titres complétés'],
  },
  personal: {
    recordingOwnerName: common.recordingOwnerName,
    coverDetailsOwner: ['text', fieldNames.coverDetailsOwner],
    note: common.note,
    label: ['text', fieldNames.label],
    digitalLabel: ['text', 'label de diffusion'],
    publisherLink: ['text', 'lien de l’éditeur'],
  },
} as const satisfies Entity;

export const releaseTables: Tables = {
  releases: {
    record: { name: 't.title', isGone: 't.deleted_at IS NOT NULL', search: { release: 't.id' } },
    says: 'Sorties',
    columns: `id account_id title version status language genre subgenre original_release_date digital_release_date
      recording_year cover_file_id cover_year cover_ai barcode catalog_number digital_genre digital_subgenre plan
      has_express_delivery territories platforms created_at updated_at deleted_at`,
    account: { label: blank, 'digital_label note publisher_link recording_owner cover_owner': clear },
    third: { artist_name: credit },
  },
  release_words: { columns: 'status created_at release_id genre', account: { word: 'follow' } },
  duplicate_groups: { columns: 'scope key is_similar size rank of_account of_artist' },
  title_keys: { columns: 'scope key record_id exact' },
};
