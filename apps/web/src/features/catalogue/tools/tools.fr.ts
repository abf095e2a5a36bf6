import { codeEditNames } from '@regie/contract/tools.ts';
import { counted, formatInteger, plural } from '@regie/values/formats.ts';

export const frTools = {
  column: {
    title: 'Titre',
    release: 'Sortie',
    artists: 'Artistes',
    isrc: 'ISRC',
    barcode: 'Code-barres',
    account: 'Compte',
    status: 'État',
    size: 'En commun',
    match: 'Ressemblance',
    trackId: 'id du titre',
    releaseId: 'id de la sortie',
  },
  search: 'Chercher un titre',
  trackCount: counted('titre', 'titres'),
  tracks: 'titres',
  libraries: 'sorties',
  codeDoubles: {
    tab: { isrc: 'ISRC en double', barcode: 'Codes-barres en double' },
    search: { isrc: 'Chercher un ISRC, un titre', barcode: 'Chercher un code-barres, une sortie' },
    exportName: { isrc: 'isrc-en-double', barcode: 'codes-barres-en-double' },
    emptyTitle: { isrc: 'Aucun ISRC en double', barcode: 'Aucun code-barres en double' },
    emptyText: {
      isrc: 'Les titres qui portent le même ISRC apparaîtront ici, côte à côte.',
      barcode: 'Les sorties qui portent le même code-barres apparaîtront ici, côte à côte.',
    },
  },
  titleDoubles: {
    tab: { tracks: 'Titres', libraries: 'Sorties' },
    match: { same: 'Identique', similar: 'Proche' },
    sameArtist: 'Même artiste',
    sameAccount: 'Même compte',
    income: 'Revenus',
    isKept: 'À conserver',
    kept: 'Proposition',
    advised: 'À faire',
    hint: 'La casse, les accents, la ponctuation et les invités («\u00a0feat.\u00a0») ne comptent pas. L’artiste d’un titre est le premier crédité. Les titres proches sont ceux d’un même artiste qui ne diffèrent que par un article, un pluriel, des voyelles ou des lettres interverties.',
    advice: {
      tracks: {
        codeOfOthers:
          'Le même ISRC appartient à plusieurs comptes\u00a0: les rapports importés par ISRC ne vont à aucun d’eux. Établissez qui détient les droits, puis corrigez l’ISRC de l’autre titre.',
        codeTwice:
          'Le même ISRC figure sur plusieurs titres. Conservez le titre proposé\u00a0; pour les autres, supprimez le titre depuis sa sortie ou corrigez son ISRC.',
        releaseTwice:
          'Le titre figure plusieurs fois sur la même sortie. Conservez le titre proposé et supprimez l’autre, ou précisez sa version (Live, Remix…).',
        codeMissing:
          'Un des titres n’a pas d’ISRC. S’il s’agit du même enregistrement, supprimez-le\u00a0; sinon, précisez sa version et attribuez-lui un ISRC.',
        noCode:
          'Aucun des titres n’a d’ISRC. Supprimez ceux qui sont en trop, puis attribuez un ISRC à chaque enregistrement.',
        codesDiffer:
          'Les ISRC diffèrent. S’il s’agit d’enregistrements distincts, précisez leur version\u00a0; sinon, retirez le titre en trop.',
        tooMany:
          'Plus de 100 titres portent ce nom. Activez «\u00a0Même artiste\u00a0» ou «\u00a0Même compte\u00a0» pour les départager.',
      },
      libraries: {
        codeOfOthers:
          'Le même code-barres appartient à plusieurs comptes. Établissez qui détient les droits, puis corrigez l’autre sortie.',
        codeTwice:
          'Le même code-barres figure sur plusieurs sorties. Conservez la sortie proposée\u00a0; pour les autres, supprimez la sortie ou corrigez son code-barres.',
        codeMissing:
          'Une des sorties n’a pas de code-barres. S’il s’agit de la même sortie, supprimez-la\u00a0; sinon, précisez sa version et donnez-lui un code-barres.',
        noCode: 'Aucune des sorties n’a de code-barres. Supprimez celles qui sont en trop, puis complétez les autres.',
        codesDiffer:
          'Les codes-barres diffèrent. S’il s’agit d’éditions distinctes, précisez leur version\u00a0; sinon, retirez la sortie en trop.',
        tooMany:
          'Plus de 100 sorties portent ce nom. Activez «\u00a0Même artiste\u00a0» ou «\u00a0Même compte\u00a0» pour les départager.',
      },
    },
    exportName: { tracks: 'titres-en-double', libraries: 'sorties-en-double' },
    emptyTitle: { tracks: 'Aucun titre en double', libraries: 'Aucune sortie en double' },
    emptyText:
      'Les noms identiques ou proches d’un même artiste et d’un même compte apparaîtront ici. Pour comparer tout le catalogue, désactivez les filtres «\u00a0Même artiste\u00a0» et «\u00a0Même compte\u00a0».',
  },
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
      wrongBarcodes: 'Tous les codes-barres ont une clé de contrôle valide',
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
    isrcPlaceholder: 'Saisir l’ISRC',
    nextIsrcs: 'Prochain ISRC libre\u00a0:',
    nextIsrc: 'ISRC libre',
    barcodePlaceholder: 'Saisir le code-barres',
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
    submit: (count: number) => `Attribuer ${formatInteger(count)} ISRC`,
    noPrefix: 'Aucun préfixe d’ISRC n’est enregistré. Ajoutez celui du distributeur dans les réglages, puis revenez.',
    noPrefixToAsk:
      'Aucun préfixe d’ISRC n’est enregistré. Demandez à un administrateur d’ajouter celui du distributeur dans les réglages.',
    settings: 'Ouvrir les réglages',
    full: (prefix: string, left: string) =>
      `Il ne reste que ${left} sous le préfixe ${prefix} cette année\u00a0: choisissez un autre préfixe, ou moins de titres.`,
    left: counted('numéro', 'numéros'),
    tooMany: (max: string) => `Attribuez au plus ${max} ISRC à la fois\u00a0: réduisez la sélection.`,
    done: (message: string, first: string, last: string) =>
      first === last ? `L’ISRC ${first} est attribué` : `${message}\u00a0: ${first} à ${last}`,
  },
  bulk: {
    kind: 'Ce que le fichier modifie',
    kinds: { isrc: 'ISRC', barcode: 'Codes-barres' },
    hint: {
      isrc: 'Chaque ligne est rapprochée d’un titre par la colonne title, ou par la colonne id si elle est renseignée\u00a0; le titre reçoit l’ISRC de la colonne isrc. Une ligne dont le titre désigne plusieurs enregistrements n’est pas enregistrée.',
      barcode:
        'Chaque ligne est rapprochée d’une sortie par la colonne title, ou par la colonne id si elle est renseignée\u00a0; la sortie reçoit le code-barres de la colonne code-barre. Une ligne dont le titre désigne plusieurs sorties n’est pas enregistrée.',
    },
    exportHint:
      'Les listes exportées des pages «\u00a0manquants\u00a0» et «\u00a0en double\u00a0», une fois complétées, peuvent être envoyées telles quelles.',
    drop: 'Fichier des codes',
    formats: (rows: string) => `CSV ou Excel (.xlsx), ${rows} lignes au plus`,
    templateFile: { isrc: 'modele-isrc', barcode: 'modele-codes-barres' },
    templateExample: {
      isrc: { id: '', title: 'Titre d’exemple', isrc: 'FRX122600001' },
      barcode: { id: '', title: 'Sortie d’exemple', 'code-barre': '3760000000000' },
    },
    noCode: { isrc: 'le fichier n’a pas de colonne isrc', barcode: 'le fichier n’a pas de colonne code-barre' },
    noTitle: 'le fichier n’a ni colonne title ni colonne id',
    column: { title: 'Enregistrement', before: 'Avant', after: 'Après' },
    verdict: { change: 'Sera modifié', same: 'Inchangé', blank: 'À remplir', unsaved: 'Non enregistré' },
    changes: counted('code à modifier', 'codes à modifier'),
    same: counted('inchangé', 'inchangés'),
    blank: counted('code à remplir', 'codes à remplir'),
    unsaved: counted('ligne non enregistrée', 'lignes non enregistrées'),
    others: (count: string) => ` (et ${count})`,
    other: counted('autre ligne', 'autres lignes'),
    skipped: 'Les autres lignes peuvent être enregistrées sans elles.',
    onlyUnsaved: 'N’afficher que les lignes non enregistrées',
    shown: (count: string) =>
      `Seules les ${count} premières lignes sont affichées\u00a0; les suivantes sont traitées comme elles.`,
    submit: (count: number) => `Modifier ${plural(count, 'code', 'codes')}`,
    nothing: 'Aucune ligne ne change de code\u00a0: il n’y a rien à enregistrer.',
    work: (file: string) => `Modification des codes\u00a0: ${file}`,
    stopped: (saved: string) => `L’envoi s’est arrêté après ${saved}.`,
    resume: 'Reprendre',
    saved: counted('ligne envoyée', 'lignes envoyées'),
    cancelled: 'Envoi annulé',
    done: counted('code modifié', 'codes modifiés'),
    download: 'Télécharger les lignes non enregistrées',
    unsavedFile: 'unsaved-reports',
    reason: 'raison',
  },
  edits: {
    title: 'Modifications enregistrées',
    search: 'Chercher un fichier, une origine',
    file: 'Origine',
    ...codeEditNames,
    kind: 'Code',
    date: 'Date',
    by: 'Par',
    saved: 'Modifiés',
    unsaved: 'Non enregistrés',
    state: 'État',
    live: 'En vigueur',
    nothing: 'Sans effet',
    reversed: (count: string) => `Annulée, ${count}`,
    restored: counted('code rétabli', 'codes rétablis'),
    unsavedShort: 'Non enregistrées',
    unsavedName: (name: string) => `Télécharger les lignes non enregistrées de «\u00a0${name}\u00a0»`,
    unsavedUnknown: 'Les lignes non enregistrées de cette modification n’ont pas été conservées',
    reverse: 'Annuler la modification',
    reverseShort: 'Annuler',
    reverseName: (name: string) => `Annuler la modification «\u00a0${name}\u00a0»`,
    consequence: (count: string) => `${count}, ou n’en auront plus. Les codes modifiés depuis sont conservés.`,
    back: counted('enregistrement reviendra à son ancien code', 'enregistrements reviendront à leur ancien code'),
    done: (message: string, count: string) => `${message}\u00a0: ${count}`,
    kept: 'Ces enregistrements gardent leur code actuel\u00a0:',
    emptyTitle: 'Aucune modification enregistrée',
    emptyText: 'Les fichiers envoyés et les ISRC attribués apparaîtront ici et pourront être annulés d’un coup.',
    exportName: 'modifications-de-codes',
  },
} as const;
