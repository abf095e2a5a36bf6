/** The sentences of the tools, which load with their screens. Spaces before : ; ! ? are U+00A0. */
export const frTools = {
  column: {
    title: 'Titre',
    release: 'Sortie',
    artists: 'Artistes',
    isrc: 'ISRC',
    barcode: 'Code-barres',
    account: 'Compte',
    status: 'Statut',
    trackId: 'id du titre',
    releaseId: 'id de la sortie',
  },
  search: 'Chercher un titre',
  track: 'titre',
  tracks: 'titres',
  empty: {
    tab: { tracks: 'Titres sans ISRC', libraries: 'Sorties sans code-barres', wrongBarcodes: 'Codes-barres invalides' },
    exportName: {
      tracks: 'titres-sans-isrc',
      libraries: 'sorties-sans-code-barres',
      wrongBarcodes: 'codes-barres-invalides',
    },
    emptyTitle: {
      tracks: 'Tous les titres ont un ISRC',
      libraries: 'Toutes les sorties ont un code-barres',
      wrongBarcodes: 'Tous les codes-barres ont une clé juste',
    },
    emptyText: {
      tracks: 'Un titre enregistré sans ISRC apparaîtra ici.',
      libraries: 'Une sortie enregistrée sans code-barres apparaîtra ici.',
      wrongBarcodes: 'Un code-barres importé dont la clé ne correspond pas apparaîtra ici.',
    },
    isrcOf: (title: string) => `ISRC de «\u00a0${title}\u00a0»`,
    barcodeOf: (title: string) => `Code-barres de «\u00a0${title}\u00a0»`,
    saveIsrcOf: (title: string) => `Enregistrer l’ISRC de «\u00a0${title}\u00a0»`,
    saveBarcodeOf: (title: string) => `Enregistrer le code-barres de «\u00a0${title}\u00a0»`,
    filledIsrc: (isrc: string, title: string) => `L’ISRC ${isrc} est enregistré pour «\u00a0${title}\u00a0»`,
    filledBarcode: (barcode: string, title: string) =>
      `Le code-barres ${barcode} est enregistré pour «\u00a0${title}\u00a0»`,
    isrcPlaceholder: 'FR-X12-26-00001',
    barcodePlaceholder: '13 chiffres',
    newBarcode: 'Nouveau code-barres',
  },
  assign: {
    row: 'Attribuer',
    rowName: (title: string) => `Attribuer le prochain ISRC libre à «\u00a0${title}\u00a0»`,
    title: 'Attribuer les prochains ISRC libres',
    button: (count: string) => `Attribuer un ISRC à ${count}`,
    prefix: 'Préfixe',
    range: (count: string, first: string, last: string) =>
      first === last ? `${count} recevra l’ISRC ${first}.` : `${count} recevront les ISRC ${first} à ${last}.`,
    hint: 'Les numéros suivent le dernier donné cette année sous ce préfixe, dans l’ordre de votre sélection. L’attribution peut être annulée d’un coup dans «\u00a0Modifier ISRC et codes-barres\u00a0».',
    submit: (count: string) => `Attribuer ${count}`,
    code: 'ISRC',
    noPrefix: 'Aucun préfixe d’ISRC n’est enregistré. Ajoutez celui de votre maison dans les réglages, puis revenez.',
    settings: 'Ouvrir les réglages',
    full: (prefix: string, left: string) =>
      `Il ne reste que ${left} sous le préfixe ${prefix} cette année\u00a0: choisissez un autre préfixe, ou moins de titres.`,
    left: 'numéro',
    lefts: 'numéros',
    tooMany: (max: string) => `Attribuez au plus ${max} ISRC à la fois\u00a0: réduisez la sélection.`,
    done: (message: string, first: string, last: string) =>
      first === last ? `L’ISRC ${first} est attribué` : `${message}\u00a0: ${first} à ${last}`,
  },
} as const;
