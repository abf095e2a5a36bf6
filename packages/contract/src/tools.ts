/** Rows of one bulk edit call (product §27.7), and of one file. */
export const maxBulkRows = 50;
export const maxBulkFileRows = 5000;
/** Tracks that get an ISRC in one call. */
export const maxAssigned = 500;

/** Label of a bulk edit without a file. */
export const codeEditNames = { assigned: 'ISRC attribués', call: 'Saisie sans fichier' } as const;

export const toolMessages = {
  isrcFilled: 'L’ISRC est enregistré',
  barcodeFilled: 'Le code-barres est enregistré',
  hasIsrc: 'Ce titre a déjà un ISRC\u00a0: rechargez la liste',
  hasBarcode: 'Cette sortie a déjà un code-barres valide\u00a0: rechargez la liste',
  isrcTaken: (isrc: string, title: string) => `L’ISRC ${isrc} est déjà celui de «\u00a0${title}\u00a0»`,
  barcodeTaken: (barcode: string, title: string) =>
    `Le code-barres ${barcode} est déjà celui de «\u00a0${title}\u00a0»`,
  noPrefix: 'Aucun préfixe d’ISRC n’est enregistré\u00a0: ajoutez le vôtre dans les réglages',
  unknownPrefix: 'Ce préfixe d’ISRC n’est pas dans les réglages',
  prefixFull: (prefix: string) =>
    `Il ne reste pas assez de numéros libres sous le préfixe ${prefix} cette année\u00a0: choisissez un autre préfixe`,
  nothingToAssign: 'Ces titres ont déjà un ISRC\u00a0: rechargez la liste',

  isrcMissing: 'L’ISRC manque',
  barcodeMissing: 'Le code-barres manque',
  /** Of a bulk edit that does not save all its rows. */
  rowsSaved: (saved: number, rows: number) =>
    saved === 0
      ? 'Aucune ligne n’est enregistrée'
      : `${saved === 1 ? '1 ligne' : `${saved} lignes`} sur ${rows} ${saved === 1 ? 'est enregistrée' : 'sont enregistrées'}`,
  atRow: (row: number, message: string) => `Ligne ${row}\u00a0: ${message}`,
  idWrong: 'L’identifiant n’est pas un nombre',
  unknownId: 'Aucun enregistrement n’a cet identifiant',
  noMatch: 'Aucun enregistrement n’a ce titre',
  manyMatches: 'Plusieurs enregistrements ont ce titre\u00a0: ajoutez une colonne id',
  twice: 'Cet enregistrement est déjà plus haut dans le fichier',
  codeTwice: (code: string) => `Le code ${code} est déjà plus haut dans le fichier`,
  wrongCheckDigit: 'La clé du code-barres est fausse\u00a0: il est enregistré tel quel',
  alreadyReversed: 'Cette modification est déjà annulée',
  otherEdit: 'Cet envoi appartient à une autre modification\u00a0: choisissez à nouveau le fichier',
  changedSince: 'A changé depuis',
  heldSince: (title: string) => `Son ancien code est maintenant celui de «\u00a0${title}\u00a0»`,
} as const;
