import { type Entity, ofTrack, type Tables } from '#src/entity.ts';

export const file = {
  label: 'Fichier',
  actions: { 'file.expire': 'Corbeille vidée', 'file.remove_orphans': 'Fichiers sans usage supprimés' },
  fields: { files: ['number', 'nombre de fichiers'] },
} as const satisfies Entity;

export const fileTables: Tables = {
  files: {
    says: 'Pochettes et fichiers audio : nom, taille, empreinte',
    of: {
      account: `(t.id IN (SELECT r.cover_file_id FROM releases r WHERE r.account_id = $id)
        OR t.id IN (SELECT k.audio_file_id FROM tracks k WHERE k.account_id = $id))`,
    },
    columns: `id kind content_type size_bytes sha256 width height duration_ms sample_rate_hz bit_depth channels peaks
      created_at binned_at peak_amplitude clipped_runs is_clipped is_silent created_by`,
    account: { original_name: { put: `'fichier'` } },
    secret: { storage_key: { keep: 'always', why: 'a random name' } },
  },
  uploads: {
    says: 'Envois de fichiers en cours',
    of: { account: ofTrack },
    columns: 'id kind track_id replaces size_bytes received started_at touched_at admin_id',
    account: { file_name: 'delete' },
    secret: { spool_name: 'delete' },
  },
  upload_parts: { columns: 'upload_id starts storage_key' },
};
