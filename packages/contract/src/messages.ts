import { de } from '@regie/values/elision.ts';
import { callMessages } from './call-messages.ts';
import { vatRegimes } from './state-names.ts';

const typeNames = new Map([
  ['boolean', 'true ou false, sans guillemets'],
  ['string', 'un texte'],
  ['array', 'une liste'],
  ['object', 'un objet'],
  ['record', 'un objet'],
]);

/** Sentences of server and browser; those quoted in docs/product.md are exact, misspellings included. */
export const messages = {
  ...callMessages,
  // To the letter (product §18.2 and §30.3).
  unauthorized: 'Réactualisez la page SVP',
  emptyInput: 'Passe une valeur non-vide',
  invalidData: 'Données ne sont pas valide',
  confirm: 'Vous êtes sure?',
  // product §15.3.
  nameRequired: 'Le nom est requis(minimum 3 lettres)',
  email: "E-mail n'est pas valide",
  password: 'Mot de passe est requis(minimum 6 caractères)',
  // product §25.4, §25.5, §25.6.
  csvFileType: 'S.V.P selectionner un fichier CSV',
  excelFileType: 'S.V.P selectionner un fichier Excel',
  accountDisabled: 'Compte desactive',
  promoNameRequired: 'code promo est requis',
  percentRequired: 'Percentage est requis',
  dueDateRequired: "Date d'experation est requis",
  smartlinkStatus: 'Le status doit etre en attente/active',
  platformUrl: (platform: string) => `${platform} est errone`,

  webLink: 'Un lien commence par https:// ou http://',
  passwordTooShort: 'Mot de passe est requis(minimum 8 caractères)',
  passwordTooLong: 'Le mot de passe compte au plus 128 caractères',
  passwordTooCommon: 'Ce mot de passe est trop courant\u00a0: choisissez-en un autre',
  passwordOwnWords:
    'Ce mot de passe se devine d’après votre nom, votre adresse ou le nom du distributeur\u00a0: choisissez-en un autre',
  passwordConfirmation: 'Les deux mots de passe ne sont pas identiques',
  badCredentials: 'E-mail ou mot de passe incorrect',
  tokenUsed: 'Ce lien n’est plus valable\u00a0: demandez-en un nouveau',
  forbidden: 'Vous n’avez pas le droit de faire cela',
  csrf: 'Votre session a changé. Réactualisez la page SVP',
  notFound: 'Introuvable\u00a0: l’élément demandé n’existe pas ou n’existe plus',
  conflict: 'L’élément a changé entre-temps\u00a0: rechargez-le puis recommencez',
  idempotencyConflict: 'Cette demande a déjà été envoyée avec un autre contenu',
  hiddenCharacter: 'Ce texte contient un caractère invisible\u00a0: retapez-le',
  tooLarge: 'Le contenu envoyé est trop volumineux',
  unsupportedType: 'Ce type de contenu n’est pas accepté',
  /** The same for calls that only read. */
  readFailed:
    'Une erreur est survenue de notre côté\u00a0: ces données n’ont pas pu être lues. Réessayez dans un instant',
  tookTooLong: 'Cette demande a pris trop de temps, et rien n’a été enregistré\u00a0: réessayez dans un instant',
  /** The database did not answer in time: the change may still happen. */
  mayBeSaved:
    'Le service ne répond pas pour le moment\u00a0: réessayez dans un instant, et vérifiez d’abord si la saisie a été enregistrée',
  storageAway: 'Le stockage des fichiers ne répond pas\u00a0: réessayez dans un instant',
  storageAwayUnsaved:
    'Le stockage des fichiers ne répond pas, et rien n’a été enregistré\u00a0: réessayez dans un instant',
  diskFull:
    'Il n’y a plus de place sur le disque du serveur, et rien n’a été enregistré\u00a0: réessayez une fois la place faite',
  readTookTooLong: 'Cette lecture a pris trop de temps\u00a0: réessayez dans un instant',
  columnsIgnored: (names: readonly string[]) => `Colonnes ignorées\u00a0: ${names.join(', ')}`,
  titleMissing: 'Le titre manque',
  invalidSiren: 'Ce SIREN n’est pas valide\u00a0: vérifiez ses 9 chiffres',
  otherSiren: (ofVat: string) => `Ce n’est pas le SIREN du numéro de TVA, qui finit par ${ofVat}`,
  otherAddress: (siren: string) => `Cette adresse n’est pas celle du SIREN ${siren}`,
  electronicAddress: 'Une adresse de facturation est un SIREN, seul ou suivi de «\u00a0_\u00a0» et d’un complément',
  vatRegime: `Le régime de TVA est l’un de ceux-ci\u00a0: ${Object.values(vatRegimes).join(', ')}`,
  importArtistLength: 'Un nom d’artiste a de 2 à 200 caractères',
  importBarcodeDigits: 'Un code-barres n’a que des chiffres (20 au plus)',
  importAi: (labels: readonly string[]) => `La part de l’IA est inconnue\u00a0: ${labels.join(', ')}`,
  importBarcodeCheck: 'La clé du code-barres est fausse\u00a0: il est gardé tel quel',
  importOtherAccount: (what: string) => `${what} est à un autre compte`,
  importOtherRelease: (what: string, title: string) => `${what} est sur une autre sortie\u00a0: «\u00a0${title}\u00a0»`,
  importTwice: (what: string, row: number) => `${what} est déjà à la ligne ${row}`,
  importBarcodeDiffers: (barcode: string) => `Cette sortie a un autre code-barres\u00a0: ${barcode}`,
  importCoverAi: 'Une ligne précédente déclare autre chose pour la pochette',
  importExists: 'Déjà dans cette sortie',
  importCompletes: 'Déjà dans cette sortie\u00a0: ce qui manque est complété',
  importTooMany: (max: number) => `Une sortie a au plus ${max} titres`,
  importManyAccounts: 'Plusieurs comptes ont cet e-mail\u00a0: indiquez le numéro du compte',
  importNoAccount: 'Aucun compte n’a ce numéro ou cet e-mail',
  importOtherEmail: 'Le compte de ce numéro a un autre e-mail',
  importDiffers: (present: readonly string[]) => `Le compte a déjà une autre valeur\u00a0: ${present.join(', ')}`,
  importRefused: (rows: number) =>
    `Rien n’a été importé\u00a0: ${rows === 1 ? '1 ligne est' : `${rows} lignes sont`} à corriger`,
  /** A document could not be generated (product §18.5). */
  currencyCode: 'Le code d’une devise a trois lettres, par exemple USD',
  tooManyRequests: (seconds: number) =>
    `Trop de tentatives\u00a0: réessayez dans ${seconds < 90 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`}`,

  // product §39.10.
  required: (field: string) => `Champ requis\u00a0: ${field}`,
  wrongType: (type: string) => `Indiquez ${typeNames.get(type) ?? type}`,
  notEmpty: 'Indiquez au moins un élément',
  minLength: (n: number) => `${n} caractères au minimum`,
  maxLength: (n: number) => `${n} caractères au maximum`,
  aboveNumber: (n: string) => `La valeur doit être plus grande que ${n}`,
  belowNumber: (n: string) => `La valeur doit être plus petite que ${n}`,
  minNumber: (n: string) => `La valeur doit être d’au moins ${n}`,
  maxNumber: (n: string) => `La valeur doit être d’au plus ${n}`,
  maxItems: (n: number) => `${n} éléments au maximum`,
  invalidFormat: 'Le format n’est pas valide',
  invalidChoice: 'Cette valeur n’est pas dans la liste',
  unknownField: 'Ce champ n’est pas connu',
  // product §15.4.
  genreRequired: 'Le genre est requis',
  invalidDate: 'Indiquez une date, jour/mois/année',
  invalidYear: 'Indiquez une année en quatre chiffres, par exemple 2026',
  yearRange: (first: number, last: number) => `L’année va de ${first} à ${last}`,
  notANumber: 'Indiquez un nombre',
  quotedNumber: 'Indiquez un nombre, sans guillemets',
  invalidId: 'Cet identifiant n’existe pas\u00a0: il compte à partir de 1',
  invalidIsrc: 'Un ISRC a 12 caractères\u00a0: pays (2 lettres), préfixe (3), année (2 chiffres) et numéro (5)',
  namesakeArtist:
    'Un artiste porte déjà ce nom\u00a0: pour en créer un autre, donnez son identifiant Spotify ou Apple Music',
  storeIdTaken: (name: string) => `Cet identifiant est déjà celui ${de(name)}`,
  barcodeDigits: 'Un code-barres n’a que des chiffres',
  barcodeLength: (length: number) => `Un code-barres a 8, 12, 13 ou 14 chiffres\u00a0: celui-ci en a ${length}`,
  barcodeCheck: 'La clé de ce code-barres ne correspond pas\u00a0: vérifiez chacun de ses chiffres',
  invalidSpotifyId: 'Un identifiant Spotify a 22 caractères, le premier de 0 à 7',
  invalidAppleMusicId: 'Un identifiant Apple Music n’a que des chiffres',
  qualityBlocks: (labels: readonly string[]) =>
    `Le contrôle qualité bloque la livraison\u00a0: ${labels.join(', ')}. Corrigez, ou confirmez la livraison`,
  qualityPassed: (labels: readonly string[]) => `Livrée malgré le contrôle qualité\u00a0: ${labels.join(', ')}`,
  alreadyWithdrawn: 'Cette sortie est déjà retirée',
  notDelivered: 'Seule une sortie livrée peut être clôturée ou rouverte\u00a0: rechargez la page pour voir son état',
  releaseChanged:
    'La sortie a changé depuis que vous l’avez ouverte\u00a0: rien n’est enregistré. Rechargez-la, puis reprenez vos corrections.',
  /** @param field the request field that is missing */
  unseen: (field: string) =>
    `Il manque à l’appel ce que la fiche indiquait (${field})\u00a0: lisez-la d’abord, rien n’est enregistré`,
  trackChanged:
    'Le titre a changé depuis que vous l’avez ouvert\u00a0: rien n’est enregistré. Rechargez-le, puis reprenez vos corrections.',
  trackTwice: 'Un titre figure deux fois dans l’ordre envoyé',
  unknownPerson: 'Cette personne n’existe pas ou n’existe plus\u00a0: choisissez-en une autre',
  // product §15.6, §18.4.
  choosePlatform: 'Choisissez au moins une plateforme',
  choosePlan: 'Choisissez un plan',
  paymentWrong: 'Payement est erroné',
  paid: 'Payments fait avec succès',
  chooseTerritory: 'Choisissez au moins un territoire',
  allWithOthers: 'Choisissez le monde entier ou des pays, pas les deux',
  contractTemplateGone: 'Ce modèle a été retiré\u00a0: choisissez-en un autre',
  unknownAccount: 'Ce compte n’existe pas ou n’existe plus\u00a0: choisissez-en un autre',
  unknownPromoCode: 'Ce code promo n’existe pas',
  expiredPromoCode: 'Ce code promo a expiré',
  unknownRun: 'Ces relevés n’existent pas',
  unknownStatementOut: 'Ce relevé n’existe pas',
  runIsOpen: 'Des relevés sont en cours de publication',
  runIsEarlier: 'Des relevés de ce mois ou d’un mois suivant sont déjà publiés',
  runIsFuture: 'Ce mois n’a pas encore commencé',
  runHasNotFailed: 'La publication n’a pas échoué',
  runIsUnpublished: 'Ces relevés ne sont pas encore publiés',
  letterHasMoved:
    'Ce relevé vient d’être envoyé ou mis en attente\u00a0: regardez son état avant de l’envoyer de nouveau',
  linkIsRevoked: 'Ce lien est déjà révoqué',
  noRecipient: 'Ce compte n’a pas d’adresse e-mail\u00a0: ajoutez-la d’abord',
  statementIsErased: 'Les données de ce compte ont été supprimées\u00a0: son relevé ne s’envoie plus',
  unknownRelease: 'Cette sortie n’existe pas ou n’existe plus',
  unknownTrack: 'Ce titre n’existe pas ou n’existe plus',
  subscriptionWaits:
    'Un abonnement de ce compte attend déjà son règlement\u00a0: réglez-le ou résiliez-le avant d’en commander un autre',
  subscriptionFree: 'L’abonnement n’a pas de prix\u00a0: indiquez-en un dans les réglages',
  promoCodePast: (day: string) => `Ce code a expiré le ${day}\u00a0: il ne s’applique à aucune commande.`,
  promoCodeTwice: 'Un code promo de ce nom existe déjà',
  percentRange: 'Le pourcentage va de 0 à 100',
  percentDecimals: 'Le pourcentage a deux décimales au plus',
  orderPaid:
    'La commande de cette sortie est déjà payée\u00a0: sa formule, son type de label et la livraison express ne sont plus modifiables',
  orderInvoiced: 'La facture de cette commande est émise\u00a0: annulez la commande avant d’en choisir une autre',
  alreadyPaid: 'Cette commande est déjà payée',
  orderMissing: 'Cette sortie n’a pas encore de commande\u00a0: choisissez d’abord une formule',
  trackMissing: 'Ajoutez au moins un titre avant de régler',
  releaseWithdrawn: 'Cette sortie est retirée\u00a0: remettez-la en attente avant de régler sa commande',
  paymentPending: 'Un paiement par carte de cette commande est en cours de confirmation\u00a0: attendez son résultat',
  amountTooSmall: 'Ce montant est trop petit pour être payé par carte\u00a0: enregistrez un règlement hors ligne',
  cardUnavailable: 'Le paiement par carte ne répond pas, et rien n’a été débité\u00a0: réessayez dans un instant',
  orderMoved: 'La commande a changé entre-temps\u00a0: relisez le récapitulatif puis recommencez',
  badSignature: 'La signature de cet événement n’est pas valide',
  // product §18.3.
  audioFormat: 'Nous acceptons les fichiers .wav',
  audioTooLarge: 'Un fichier audio pèse au plus 1 Go',
  fileName: 'Le nom du fichier n’est pas valide\u00a0: 255 caractères au plus, sans caractère de contrôle',
  uploadStart: 'L’envoi a été interrompu\u00a0: relancez-le',
  uploadTooLong: 'Le morceau envoyé dépasse la fin annoncée du fichier',
  // product §18.3.
  coverSize: 'S.V.P selectionnez une image de 3000x3000(en pixel)',
  coverFormat: 'Nous acceptons les fichiers de format .png, .jpg ou .jpeg',
  coverTooLarge: 'L’image pèse plus de 20 Mo\u00a0: enregistrez-la avec une compression plus forte',
  coverDamaged: 'L’image est abîmée ou incomplète\u00a0: exportez-la à nouveau, puis réessayez',
  balanceMoved:
    'Le solde a bougé depuis l’ouverture de cette page, et rien n’a été enregistré\u00a0: rechargez-la, puis recommencez',
  ibanWrong: 'Cet IBAN n’est pas valide\u00a0: vérifiez son pays, sa longueur et sa clé',
  ibanCountry: (own: string, country: string) =>
    `Cet IBAN est d’un autre pays (${own}) que la banque (${country})\u00a0: corrigez l’un ou l’autre`,
  bicWrong: 'Un code BIC a 8 ou 11 caractères, par exemple BNPAFRPP',
  notBank: 'Ce compte n’est pas un compte bancaire',
  notPaypal: 'Ce compte n’est pas un compte PayPal',
  billingHeld: (until: string, who = '') =>
    `Coordonnées modifiées récemment${who && ` par ${who}`}\u00a0: les versements sont suspendus jusqu’au ${until}, sauf si elles sont signées avant`,
  referralToSelf: 'Un compte ne peut pas être son propre parrain',
  referralTwice: 'Ce compte est déjà le filleul de ce parrain',
  referralCycle: 'Ce parrainage ferait un cercle\u00a0: ce filleul est déjà, de près ou de loin, parrain de ce compte',
  importUserDiffers: 'Le fichier est envoyé pour un autre compte que celui de cette page',
  importIsrcBarcode: (isrc: string, barcode: string) =>
    `L’ISRC ${isrc} est sur une sortie qui a le code-barres ${barcode}`,
  orderWaits: (id: number) => `La commande n°\u00a0${id} de cette sortie attend déjà son règlement`,
  releasePaid: (id: number) => `Cette sortie est déjà payée par la commande n°\u00a0${id}`,
  orderCreated: (id: number) => `La commande n°\u00a0${id} est créée.`,
  incomeNegative: 'Un solde saisi à la main ne peut pas être négatif',
  adjustmentReason: 'Indiquez pourquoi le solde change',
  noReason: 'Sans motif',
  adjustedWithoutReason: 'La régularisation du solde est enregistrée sans motif',
  adjustmentWaits: (amount: string, isWithoutReason = false) =>
    `La régularisation de ${amount}${isWithoutReason ? ', sans motif,' : ''} attend les signatures nécessaires\u00a0: d’ici là, le solde reste inchangé`,
  balanceKept: (balance: string) =>
    `Le solde a changé ces douze dernières heures\u00a0: celui que vous avez envoyé est ancien, le solde reste de ${balance}`,
  reportExists: (id: number, isEqual: boolean, amount: string, day: string, author: string) =>
    `Un ${isEqual ? 'rapport identique' : 'autre rapport saisi à la main'} existe déjà pour ce mois\u00a0: n°\u00a0${id}, ${amount}, créé le ${day}${author && ` par ${author}`}`,
  /** @param imports those that have the rows already */
  equalRows: (rows: number, amount: string, imports: readonly { id: number; name: string | null }[]) =>
    `${rows.toLocaleString('fr-FR').replaceAll('\u202f', '\u00a0')} ${rows === 1 ? 'ligne' : 'lignes'} de mêmes titres et mêmes chiffres, soit ${amount}, ${rows === 1 ? 'est' : 'sont'} déjà dans ${imports.length === 1 ? 'l’import' : 'les imports'} ${imports
      .slice(0, 3)
      .map(({ id, name }) => `n°\u00a0${id}${name ? ` (${name})` : ''}`)
      .join(', ')}${imports.length > 3 ? ` et ${imports.length - 3} de plus` : ''} du même mois`,
  countedAgain: (equalRows: string, rows: number) =>
    `${equalRows}\u00a0: ${rows === 1 ? 'elle est comptée' : 'elles sont comptées'} une fois de plus`,
  batchCounted: 'Cet envoi est déjà enregistré\u00a0: rien n’est compté une seconde fois',
  noReports: 'Aucun rapport de ce type pour ce mois',
  zeroRow: 'Tous les chiffres sont à zéro',
  zeroReport: 'Indiquez au moins un chiffre différent de zéro',
  invalidMonth: 'Choisissez un mois (janvier 2020 au plus tôt)',
  monthTooEarly: 'Les rapports commencent en janvier 2020\u00a0: choisissez un mois à partir de celui-là',
  notAMonth: 'Cette date n’est pas le début d’un mois',
  periodTooLong: 'Une période a 25 mois au plus',
  invalidPeriod: 'La fin doit être postérieure au début',
  invalidDecimal: 'Indiquez un nombre, avec un seul séparateur décimal et sans séparateur de milliers',
} as const;
