/**
 * Every French sentence that both ends share: errors, confirmations, validation. Sentences quoted in the
 * specifications stand here to the letter, misspellings included.
 */
export const messages = {
  // Specification 1 §8.
  network: 'Vérifiez votre connexion internet et ressayez',
  unauthorized: 'Réactualisez la page SVP',
  emptyInput: 'Passe une valeur non-vide',
  invalidData: 'Données ne sont pas valide',
  confirm: 'Vous êtes sure?',
  notADate: 'y a long temps',
  // Specification 1 §5.
  nameRequired: 'Le nom est requis(minimum 3 lettres)',
  email: "E-mail n'est pas valide",
  password: 'Mot de passe est requis(minimum 6 caractères)',
  // Specification 2 §5.
  csvFileType: 'S.V.P selectionner un fichier CSV',
  excelFileType: 'S.V.P selectionner un fichier Excel',
  accountDisabled: 'Compte desactive',

  passwordTooLong: 'Le mot de passe compte au plus 128 caractères',
  passwordTooCommon: 'Ce mot de passe est trop courant\u00a0: choisissez-en un autre',
  passwordConfirmation: 'Les deux mots de passe ne sont pas identiques',
  badCredentials: 'E-mail ou mot de passe incorrect',
  tokenUsed: 'Ce lien n’est plus valable\u00a0: demandez-en un nouveau',
  forbidden: 'Vous n’avez pas le droit de faire cela',
  csrf: 'Votre session a changé. Réactualisez la page SVP',
  notFound: 'Introuvable\u00a0: l’élément demandé n’existe pas ou n’existe plus',
  conflict: 'L’élément a changé entre-temps\u00a0: rechargez-le puis recommencez',
  idempotencyConflict: 'Cette demande a déjà été envoyée avec un autre contenu',
  tooLarge: 'Le contenu envoyé est trop volumineux',
  unsupportedType: 'Ce type de contenu n’est pas accepté',
  serverError: 'Une erreur est survenue de notre côté. Rien n’a été enregistré\u00a0: réessayez dans un instant',
  tookTooLong: 'Cette demande a pris trop de temps, et rien n’a été enregistré\u00a0: réessayez dans un instant',
  unavailable: 'Le service redémarre\u00a0: réessayez dans un instant',
  tooManyRequests: (seconds: number) =>
    `Trop de tentatives : réessayez dans ${seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`}`,

  required: 'Ce champ est requis',
  notEmpty: 'Indiquez au moins un élément',
  minLength: (n: number) => `${n} caractères au minimum`,
  maxLength: (n: number) => `${n} caractères au maximum`,
  minNumber: (n: string) => `La valeur doit être d’au moins ${n}`,
  maxNumber: (n: string) => `La valeur doit être d’au plus ${n}`,
  maxItems: (n: number) => `${n} éléments au maximum`,
  invalidFormat: 'Le format n’est pas valide',
  invalidChoice: 'Cette valeur n’est pas dans la liste',
  unknownField: 'Ce champ n’est pas connu',
  // Specification 1 §5.
  genreRequired: 'Le genre est requis',
  invalidDate: 'Indiquez une date, jour/mois/année',
  invalidYear: 'Indiquez une année',
  invalidIsrc: 'Un ISRC a 12 caractères\u00a0: pays, préfixe, année et numéro, par exemple FR-X12-26-00001',
  invalidBarcode: 'Un code-barres a 8, 12, 13 ou 14 chiffres, dont une clé qui ne correspond pas ici',
  invalidSpotifyId: 'Un identifiant Spotify a 22 caractères, le premier de 0 à 7',
  invalidAppleMusicId: 'Un identifiant Apple Music n’a que des chiffres',
  qualityBlocks: (labels: readonly string[]) =>
    `Le contrôle qualité bloque la livraison\u00a0: ${labels.join(', ')}. Corrigez, ou confirmez la livraison`,
  alreadyWithdrawn: 'Cette sortie est déjà retirée',
  trackTwice: 'Un titre figure deux fois dans l’ordre envoyé',
  unknownPerson: 'Cette personne n’existe pas ou n’existe plus\u00a0: choisissez-en une autre',
  invalidMonth: 'Choisissez un mois (janvier 2020 au plus tôt)',
  invalidPeriod: 'La fin doit suivre le début',
  invalidDecimal: 'Indiquez un nombre, avec une seule marque décimale et sans séparateur de milliers',
} as const;
