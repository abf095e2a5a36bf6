import { clear, type Entity, labelsOf, ofTrack, type Tables, toPage } from '#src/entity.ts';
import { fieldNames } from '#src/field-names.ts';
import { aiContributions } from '#src/releases.ts';
import { common } from './common.ts';

export const track = {
  label: 'Titre',
  link: toPage('/library/track'),
  actions: {
    'track.create': 'Titre ajouté',
    'track.edit': 'Titre modifié',
    'track.audio': 'Audio du titre remplacé',
    'track.delete': 'Titre supprimé',
    'track.take_isrc': 'ISRC repris d’un autre compte',
  },
  fields: {
    isrc: ['code', fieldNames.isrc],
    noVoice: ['boolean', 'sans voix'],
    starTime: ['code', 'début de l’extrait'],
    recordingAi: [labelsOf(aiContributions), fieldNames.recordingAi],
    compositionAi: [labelsOf(aiContributions), fieldNames.compositionAi],
    artists: ['text', fieldNames.artists],
    contributors: ['text', fieldNames.contributors],
    musicians: ['text', fieldNames.musicians],
    editors: ['text', 'éditeurs'],
    sizeBytes: ['bytes', 'taille'],
    sha256: ['code', 'empreinte SHA-256'],
  },
  personal: { recordingOwnerName: common.recordingOwnerName, audio: ['text', 'fichier audio'] },
} as const satisfies Entity;

export const trackTables: Tables = {
  tracks: {
    record: {
      join: 'JOIN releases r ON r.id = t.release_id',
      name: 't.title',
      isGone: 't.deleted_at IS NOT NULL OR r.deleted_at IS NOT NULL',
      owner: 't.release_id',
      search: 't.search',
    },
    says: 'Titres',
    columns: `id release_id account_id position title version isrc language has_no_voice genre subgenre recording_year recording_ai composition_ai
      preview_start_seconds youtube_video_id audio_file_id created_at updated_at deleted_at search`,
    account: { recording_owner: clear },
  },
  track_words: { columns: 'word title track_id' },
  track_credits: {
    says: 'Crédits des titres',
    of: { account: ofTrack },
    columns: 'id track_id person_id kind role position',
  },
  isrc_counters: { columns: 'prefix year last_number' },
};
