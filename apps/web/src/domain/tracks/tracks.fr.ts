export const frTracks = {
  artist: {
    editTitle: (name: string) => `Modifier ${name}`,
    fullname: 'Nom de l’artiste',
    spotifyId: 'Identifiant Spotify',
    spotifyHint: '22 caractères, par exemple 4tZwfgrHOc3mvqYlEYSvVi',
    appleMusicId: 'Identifiant Apple Music',
    appleMusicHint: 'Des chiffres, par exemple 5468295',
    newArtist: 'Nouvel artiste',
    createArtist: 'Créer l’artiste',
  },
  roles: {
    'Primary Artist': 'Artiste principal',
    Featuring: 'En featuring',
    With: 'Avec',
    Producer: 'Réalisateur',
    Remixer: 'Remixeur',
    Composer: 'Compositeur',
    Lyricist: 'Auteur',
    Arranger: 'Arrangeur',
    'Income Participant': 'Bénéficiaire de revenus',
  },
} as const;
