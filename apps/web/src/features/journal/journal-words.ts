import { fr } from '#src/fr.ts';
import { formatMonth } from '#src/lib/formats.ts';
import { paths } from '#src/paths.ts';

/** The journal's codes in French; a code that has no words yet shows as it is. */
export const entityNames: Record<string, string> = {
  admin: 'Administrateur',
  invitation: 'Invitation',
  exchange_rate: 'Taux de change',
  import: 'Import',
  report: 'Rapport',
  month: 'Mois',
  account: 'Compte',
  release: 'Sortie',
  track: 'Titre',
  artist: 'Artiste',
  order: 'Commande',
  settings: 'Réglages',
  payout: 'Versement',
  payout_batch: 'Lot de versements',
};

export const actionNames: Record<string, string> = {
  'auth.signin': 'Connexion',
  'auth.signin_failed': 'Connexion refusée',
  'auth.signout': 'Déconnexion',
  'auth.password_reset_request': 'Lien de mot de passe demandé',
  'auth.password_reset': 'Mot de passe changé',
  'auth.signup': 'Compte créé sur invitation',
  'admin.create': 'Administrateur ajouté',
  'admin.edit': 'Administrateur modifié',
  'admin.delete': 'Administrateur supprimé',
  'admin.invite': 'Invitation envoyée',
  'admin.cancel_invitation': 'Invitation retirée',
  'exchange_rate.set': 'Taux enregistré',
  'import.batch': 'Lignes importées',
  'import.reverse': 'Import annulé',
  'report.create': 'Rapport créé',
  'report.delete': 'Rapport supprimé',
  'report.delete_month': 'Rapports du mois supprimés',
  'release.create': 'Sortie créée',
  'release.delivery': 'Diffusion modifiée',
  'release.paid': 'Sortie passée au contrôle qualité',
  'order.create': 'Commande créée',
  'order.price': 'Prix de la commande recalculé',
  'order.start_card': 'Paiement par carte ouvert',
  'order.pay': 'Commande payée',
  'order.card_failed': 'Carte refusée',
  'order.card_refused': 'Paiement par carte non reconnu',
  'order.paid_twice': 'Commande payée deux fois',
  'release.edit': 'Sortie modifiée',
  'release.withdraw': 'Sortie retirée',
  'release.close': 'Sortie clôturée',
  'release.reopen': 'Sortie rouverte',
  'release.delete': 'Sortie supprimée',
  'release.import_tracks': 'Titres importés',
  'release.order_tracks': 'Ordre des titres modifié',
  'track.create': 'Titre ajouté',
  'track.edit': 'Titre modifié',
  'track.audio': 'Audio du titre remplacé',
  'track.delete': 'Titre supprimé',
  'artist.edit': 'Artiste modifié',
  'settings.edit': 'Réglages modifiés',
  'settings.propose': 'Nouveau seuil d’approbation proposé',
  'settings.approve': 'Nouveau seuil d’approbation approuvé',
  'settings.withdraw': 'Nouveau seuil d’approbation abandonné',
  'payout.request': 'Versement demandé',
  'payout.approve': 'Versement approuvé',
  'payout.pay': 'Versement payé',
  'payout.reopen': 'Versement remis en attente',
  'payout.cancel': 'Versement annulé',
  'payout.return': 'Retour de paiement',
  'payout.delete': 'Versement supprimé',
  'payout.download': 'Reçu téléchargé',
  'payout_batch.create': 'Lot de versements créé',
  'payout_batch.shrink': 'Versement retiré du lot',
  'payout_batch.approve': 'Lot de versements approuvé',
  'payout_batch.export': 'Lot de versements exporté',
  'payout_batch.pay': 'Lot de versements payé',
  'payout_batch.void': 'Lot de versements abandonné',
  'account.create': 'Compte créé',
  'account.edit': 'Compte modifié',
  'account.adjust': 'Solde régularisé',
};

const fields: Record<string, string> = {
  fname: 'prénom',
  lname: 'nom',
  email: 'e-mail',
  passwordChanged: 'nouveau mot de passe',
  capabilities: 'droits',
  fingerprint: 'empreinte de l’adresse saisie',
  month: 'mois',
  rate: 'taux',
  type: 'type',
  file: 'fichier',
  batch: 'lot',
  rows: 'lignes',
  saved: 'lignes enregistrées',
  reports: 'rapports',
  imports: 'imports',
  importId: 'import',
  trackId: 'titre',
  userId: 'compte',
  grossUsd: 'revenus bruts',
  accountEur: 'part du compte',
  accountsEur: 'part des comptes',
  referralsEur: 'part des parrains',
  amountEur: 'montant contre-passé',
  plan: 'formule',
  planPrice: 'prix de la formule',
  labelFees: 'frais de label',
  expressDeliveryPrice: 'prix de la livraison express',
  hasExpressDelivery: 'livraison express',
  discount: 'remise',
  total: 'total',
  promoCode: 'code promo',
  digitalLabel: 'label de diffusion',
  digitalGenre: 'genre de diffusion',
  digitalSubgenre: 'sous-genre de diffusion',
  originalReleaseDate: 'sortie originale',
  platforms: 'plateformes',
  territories: 'territoires',
  invoiceNumber: 'numéro de facture',
  reference: 'référence du règlement',
  cardTransactionId: 'paiement par carte',
  dueDate: 'échéance',
  amount: 'montant',
  currency: 'devise',
  title: 'titre',
  label: 'label',
  status: 'statut',
  genre: 'genre',
  subgenre: 'sous-genre',
  language: 'langue',
  version: 'version',
  originalRealeaseDate: 'sortie originale',
  digitalReleaseDate: 'sortie numérique',
  publisherLink: 'lien de l’éditeur',
  yearOfRegistration: 'année d’enregistrement',
  recordingOwnerName: 'producteur',
  coverDetailsOwner: 'propriétaire de la pochette',
  coverDetailsYear: 'année de la pochette',
  barcode: 'code-barres',
  catalogNumber: 'numéro de catalogue',
  note: 'note',
  confirmedQuality: 'défauts acceptés',
  tracks: 'titres',
  trackIds: 'ordre des titres',
  libraryId: 'sortie',
  audio: 'fichier audio',
  sizeBytes: 'taille en octets',
  sha256: 'empreinte SHA-256',
  isrc: 'ISRC',
  noVoice: 'sans voix',
  starTime: 'début de l’extrait',
  artists: 'artistes',
  contributors: 'contributeurs',
  musicians: 'musiciens',
  editors: 'éditeurs',
  spotifyId: 'identifiant Spotify',
  appleMusicId: 'identifiant Apple Music',
  'house.name': 'nom de la maison',
  'house.address': 'adresse de la maison',
  'house.postcode': 'code postal de la maison',
  'house.city': 'ville de la maison',
  'house.country': 'pays de la maison',
  'house.siren': 'SIREN',
  'house.vatNumber': 'numéro de TVA',
  'house.iban': 'IBAN de la maison',
  'house.bic': 'BIC de la maison',
  'house.email': 'e-mail de la maison',
  vatPercent: 'taux de TVA',
  'prices.single': 'prix du single',
  'prices.ep': 'prix de l’EP',
  'prices.album': 'prix de l’album',
  'prices.label': 'prix de l’abonnement label',
  'prices.premiumLabelFee': 'prix du label au nom du client',
  'prices.expressFee': 'prix de la livraison express',
  income: 'solde',
  reason: 'motif',
  company: 'société',
  address: 'adresse',
  address2: 'complément d’adresse',
  city: 'ville',
  postcode: 'code postal',
  country: 'pays',
  tax: 'numéro de TVA',
  timezone: 'fuseau horaire',
  state: 'état',
  role: 'rôle',
  libraryIncomePercentile: 'part du catalogue',
  youtubeChannelIncomePercentile: 'part de la chaîne vidéo',
  memo: 'mémo',
  payoutFeeEur: 'frais par versement',
  payoutApprovalEur: 'seuil d’approbation des versements',
  payoutAlertEur: 'montant élevé d’un versement',
  fee: 'frais',
  destination: 'destination',
  billingAccountId: 'coordonnées',
  payoutId: 'versement',
  approvedBy: 'approuvé par',
  messageId: 'référence du fichier',
  count: 'versements',
  problems: 'alertes confirmées',
  isrcPrefixes: 'préfixes d’ISRC',
  licenceYears: 'durée de la licence',
  licenceTemplate: 'modèle du contrat',
  created: 'titres ajoutés',
  completed: 'titres complétés',
};

const values: Record<string, Record<string, string>> = {
  type: { platform: 'plateforme', youtube: 'plateforme vidéo' },
};

export function actionLabel(action: string): string {
  return actionNames[action] ?? action;
}

export function fieldLabel(field: string): string {
  return fields[field] ?? field;
}

/** A coded value in words. */
export function valueLabel(field: string, value: string): string | undefined {
  return values[field]?.[value];
}

/** `Import n° 42`, `Taux de change 2026-01 USD`, `Mois janv. 2026`. */
export function recordLabel(entity: string, id: string | null): string {
  const name = entityNames[entity] ?? entity;
  if (id === null) return name;
  if (entity === 'month') return `${name} ${monthLabel(id)}`;
  return `${name} ${/^\d+$/.test(id) ? fr.list.recordNumber(id) : id}`;
}

/** `janv. 2026` for `2026-01`; anything else as it is. */
export function monthLabel(text: string): string {
  const month = /^(\d{4})-(\d{2})(-01)?$/.exec(text);
  // The middle of the month is in it, whatever the time zone.
  return month ? formatMonth(Date.UTC(Number(month[1]), Number(month[2]) - 1, 15)) : text;
}

/** Where the record can be seen, when it has a screen of its own. */
export function recordHref(entity: string, id: string | null): string | undefined {
  if (id === null || !/^\d+$/.test(id)) return undefined;
  if (entity === 'report') return paths.report(Number(id));
  if (entity === 'account') return paths.profile(Number(id));
  return entity === 'import' ? paths.import(Number(id)) : undefined;
}
