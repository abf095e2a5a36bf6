import { credit, type Entity, type Tables, toList } from '#src/entity.ts';

export const artist = {
  label: 'Artiste',
  link: toList('/library/artists'),
  actions: { 'artist.create': 'Artiste créé', 'artist.edit': 'Artiste modifié' },
  fields: { spotifyId: ['code', 'identifiant Spotify'], appleMusicId: ['code', 'identifiant Apple Music'] },
} as const satisfies Entity;

export const artistTables: Tables = {
  people: {
    record: { name: 't.full_name', search: 't.search' },
    says: 'Personnes créditées sur les titres',
    of: {
      account:
        't.id IN (SELECT c.person_id FROM track_credits c JOIN tracks k ON k.id = c.track_id WHERE k.account_id = $id)',
    },
    columns: 'id created_at is_artist',
    third: { full_name: credit, spotify_id: credit, apple_music_id: credit, search: 'follow' },
  },
  people_words: { columns: 'list person_id', third: { word: 'follow', full_name: 'follow' } },
};
