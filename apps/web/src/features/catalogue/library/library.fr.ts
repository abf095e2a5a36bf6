/** The library. */
export const frLibrary = {
  releases: 'Sorties par état',
  people: 'Titres et personnes',
  count: { one: 'sortie', many: 'sorties' },
  hints: {
    tracks: 'Tous les titres, avec leur ISRC et leur sortie',
    artists: 'Artistes et leurs identifiants sur les plateformes',
    contributors: 'Compositeurs, auteurs, arrangeurs, musiciens',
    editors: 'Éditeurs crédités sur les titres',
  },
  searchTracks: 'Titre, artiste ou ISRC',
  searchPeople: 'Nom',
  emptyTitle: { tracks: 'Aucun titre', people: 'Aucune personne' },
  emptyText: {
    tracks: 'Les titres des sorties que vous pouvez voir apparaîtront ici.',
    people: 'Les personnes créditées sur les titres apparaîtront ici.',
  },
  column: {
    title: 'Titre',
    artists: 'Artistes',
    isrc: 'ISRC',
    release: 'Sortie',
    status: 'État',
    name: 'Nom',
    roles: 'Rôles',
    tracks: 'Titres',
    spotify: 'Spotify',
    appleMusic: 'Apple Music',
  },
  open: (store: string, name: string) => `Ouvrir ${name} sur ${store} (nouvel onglet)`,
} as const;
