import { type AuditAction, type AuditEntity, auditActions } from './audit.ts';
import { fieldNames } from './field-names.ts';
import { providerFailures } from './identity-provider.ts';
import { preflightProblems } from './payouts.ts';
import { qualityReasons, releaseStatuses } from './releases.ts';
import * as names from './state-names.ts';

/** Why an entry is an alert. */
export const alertKinds = {
  admin: 'accès d’un administrateur',
  adjustment: 'solde d’un compte',
  destination: 'destination de l’argent',
  import: 'import d’un montant élevé',
  job: 'tâche échouée',
  night: 'signature de nuit',
  rate: 'taux éloigné des autres',
} as const;
export type AlertKind = keyof typeof alertKinds;

/** Jobs that can fail. */
export const jobNames = {
  send_mail: 'envoi d’un e-mail',
  send_password_reset: 'envoi d’un lien de mot de passe',
  send_invitation: 'envoi d’une invitation',
  send_factor_code: 'envoi d’un code de second facteur',
  lift_factor: 'levée d’un second facteur',
  tidy_up: 'ménage de la nuit',
  report_failed_jobs: 'signalement des tâches échouées',
  tidy_files: 'ménage des fichiers',
  verify_ledger: 'contrôle du grand livre',
  seal_chain: 'scellement du journal',
  anchor_chain: 'dépôt du sceau du journal',
  recount_duplicates: 'recompte des doublons',
  read_statement: 'lecture d’un relevé',
  resume_jobs: 'reprise des tâches interrompues',
  resume_statements: 'reprise des relevés interrompus',
  drop_statement: 'suppression d’un relevé',
  refresh_insight: 'mise à jour de l’analyse des revenus',
  apply_retention: 'application des durées de conservation',
  back_up: 'sauvegarde de la nuit',
  report_late_backup: 'signalement d’une sauvegarde en retard',
} as const;

const labelsOf = (table: Readonly<Record<string, { label: string }>>) =>
  Object.fromEntries(Object.entries(table).map(([key, { label }]) => [key, label]));

export const allTerritoriesName = 'monde entier';

type AuditValue =
  /** The number of a record of this kind. */
  | AuditEntity
  /** The name of another field. */
  | 'field'
  /** The key of a statement preset: `distrokid`, or `custom:` and a number. */
  | 'preset'
  | 'text'
  /** A text of several lines. */
  | 'prose'
  /** Shown exactly as typed: ISRC, IBAN, a checksum. */
  | 'code'
  | 'number'
  /** A position: stored from 0, shown from 1. */
  | 'index'
  /** A number that is not a quantity: a year, a number in a series. */
  | 'figure'
  /** An exact amount, as typed or as in the ledger. */
  | 'eur'
  /** A computed amount, shown to the cent. */
  | 'eurSum'
  | 'usdSum'
  /** An amount in the currency given by another field of the entry. */
  | 'money'
  | 'percent'
  | 'rate'
  | 'bytes'
  | 'boolean'
  /** `2026-10-30` or `30/10/2026`. */
  | 'day'
  | 'instant'
  | 'month'
  | 'capability'
  | 'platform'
  | 'territory'
  /** `2024-04 USD 1.0824000000 (2024-01)`: month, currency, rate, and the earlier month of that rate. */
  | 'oldRate'
  /** `2025-02 USD 100.751 / 101.25 (-0.499)`: read, declared, and the difference. */
  | 'declaration'
  /** One of these values, with their French names. */
  | Readonly<Record<string, string>>;

/**
 * What each field of an entry holds, and its French name; a list holds several values of the type. A field whose type
 * differs for one kind of record, or for one action, has its own row: `payout:state`, `auth.signin:factor`. Spaces before
 * : ; ! ? are U+00A0.
 */
export const auditFields = {
  // People
  fname: ['text', 'prénom'],
  lname: ['text', 'nom'],
  fullname: ['text', fieldNames.fullname],
  email: ['text', 'e-mail'],
  passwordChanged: [{ true: 'remplacé' }, 'mot de passe'],
  capabilities: ['capability', fieldNames.capabilities],
  factor: ['text', 'second facteur'],
  'auth.signin:factor': [{ totp: 'application', passkey: 'clé d’accès', recovery: 'code de secours' }, 'moyen utilisé'],
  dueAt: ['instant', 'prend effet le'],
  issuer: ['text', 'service de connexion'],
  provider: ['text', 'service de connexion'],
  'auth.signin_failed:provider': [providerFailures, 'refus du service de connexion'],
  providerFactor: ['boolean', 'second facteur demandé par le service de connexion'],
  hasFactor: ['boolean', 'second facteur demandé par le service de connexion'],
  device: ['text', 'appareil'],
  'auth:address': ['code', 'adresse du réseau'],
  fingerprint: ['code', 'empreinte de l’adresse saisie'],
  makers: ['admin', 'ajouté ou modifié par'],
  alert: [alertKinds, 'alerte'],
  unchecked: ['boolean', 'sans seconde personne'],
  signed: ['number', 'versements signés'],
  unsigned: ['number', 'versements sans signature'],
  setting: ['field', 'réglage'],
  withdrawn: [{ true: 'retirée' }, 'signature'],
  isAdded: [{ true: 'à ajouter', false: 'à retirer' }, 'signataire'],
  factorsLifted: [{ true: 'à lever' }, 'seconds facteurs'],
  warnings: ['text', 'avertissements'],
  proposedBy: ['admin', 'proposé par'],
  approvedBy: ['admin', 'approuvé par'],
  changedBy: ['text', 'modifiées par'],
  task: [jobNames, 'tâche'],
  attempts: ['number', 'essais'],
  to: ['text', 'destinataire'],
  subject: ['text', fieldNames.subject],
  reply: ['figure', 'réponse du serveur d’envoi'],
  year: ['figure', 'année'],
  entries: ['number', 'entrées'],
  postings: ['number', 'écritures'],
  // Accounts
  userId: ['account', fieldNames.userId],
  company: ['text', 'société'],
  address: ['text', fieldNames.address],
  address2: ['text', 'complément d’adresse'],
  city: ['text', fieldNames.city],
  postcode: ['code', fieldNames.postcode],
  country: ['text', fieldNames.country],
  tax: ['code', 'numéro de TVA'],
  timezone: ['text', 'fuseau horaire'],
  'account:state': [names.accountStates, 'état'],
  role: [names.accountRoles, fieldNames.role],
  libraryIncomePercentile: ['percent', 'part du catalogue'],
  youtubeChannelIncomePercentile: ['percent', 'part des plateformes vidéo'],
  memo: ['prose', 'mémo'],
  income: ['eur', 'solde'],
  'account:id': ['account', 'compte'],
  reason: ['text', fieldNames.reason],
  'order.card_refused:reason': [
    {
      unknown_payment: 'paiement inconnu',
      amount_or_currency: 'montant ou devise différents de la commande',
    },
    'motif',
  ],
  'order.paid_twice:reason': [
    {
      already_paid: 'commande déjà payée',
      release_paid: 'sortie déjà payée par une autre commande',
    },
    'motif',
  ],
  referrerId: ['account', 'parrain'],
  referredId: ['account', 'filleul'],
  percentile: ['percent', 'pourcentage'],
  'billing_account:type': [names.billingTypes, 'type'],
  owner: ['text', 'titulaire'],
  holderAddress: ['text', 'adresse du titulaire'],
  holderAddress2: ['text', 'complément d’adresse du titulaire'],
  holderCity: ['text', 'ville du titulaire'],
  holderCountry: ['text', 'pays du titulaire'],
  holderPostcode: ['code', 'code postal du titulaire'],
  bankName: ['text', 'banque'],
  bankCountry: ['text', 'pays de la banque'],
  bankAddress: ['text', 'adresse de la banque'],
  bankAddress2: ['text', 'complément d’adresse de la banque'],
  bankCity: ['text', 'ville de la banque'],
  bankZipCode: ['code', 'code postal de la banque'],
  iban: ['code', fieldNames.iban],
  swift: ['code', 'BIC'],
  // Releases and tracks
  title: ['text', fieldNames.title],
  'release:status': [labelsOf(releaseStatuses), 'état'],
  genre: ['text', 'genre'],
  subgenre: ['text', 'sous-genre'],
  language: ['text', fieldNames.language],
  version: ['text', fieldNames.version],
  label: ['text', fieldNames.label],
  barcode: ['code', fieldNames.barcode],
  catalogNumber: ['code', 'numéro de catalogue'],
  originalRealeaseDate: ['day', fieldNames.originalRealeaseDate],
  originalReleaseDate: ['day', 'date de sortie originale'],
  digitalReleaseDate: ['day', fieldNames.digitalReleaseDate],
  digitalLabel: ['text', 'label de diffusion'],
  digitalGenre: ['text', 'genre de diffusion'],
  digitalSubgenre: ['text', 'sous-genre de diffusion'],
  publisherLink: ['text', 'lien de l’éditeur'],
  yearOfRegistration: ['figure', fieldNames.yearOfRegistration],
  recordingOwnerName: ['text', fieldNames.recordingOwnerName],
  coverDetailsOwner: ['text', fieldNames.coverDetailsOwner],
  coverDetailsYear: ['figure', 'année de la pochette'],
  coverFileId: ['figure', 'numéro du fichier'],
  note: ['prose', fieldNames.note],
  confirmedQuality: [labelsOf(qualityReasons), 'défauts acceptés'],
  tracks: ['number', 'nombre de titres'],
  trackIds: ['track', 'ordre des titres'],
  trackId: ['track', fieldNames.trackId],
  libraryId: ['release', fieldNames.libraryId],
  audio: ['text', 'fichier audio'],
  sizeBytes: ['bytes', 'taille'],
  sha256: ['code', 'empreinte SHA-256'],
  isrc: ['code', fieldNames.isrc],
  noVoice: ['boolean', 'sans voix'],
  starTime: ['code', 'début de l’extrait'],
  artists: ['text', fieldNames.artists],
  contributors: ['text', fieldNames.contributors],
  musicians: ['text', fieldNames.musicians],
  editors: ['text', 'éditeurs'],
  spotifyId: ['code', 'identifiant Spotify'],
  appleMusicId: ['code', 'identifiant Apple Music'],
  platforms: ['platform', 'plateformes'],
  territories: ['territory', 'territoires'],
  hasExpressDelivery: ['boolean', 'livraison express'],
  // Orders
  plan: [names.planNames, 'formule'],
  planPrice: ['eur', 'prix de la formule'],
  labelFees: ['eur', 'frais de label'],
  expressDeliveryPrice: ['eur', 'prix de la livraison express'],
  discount: ['eur', 'remise'],
  vatPercent: ['percent', 'taux de TVA'],
  total: ['eur', 'total'],
  promoCode: ['code', 'code promo'],
  'order:status': [names.orderStatuses, 'état'],
  invoiceNumber: ['code', 'numéro de facture'],
  creditNote: ['code', 'avoir'],
  creditedInvoice: ['code', 'facture annulée par l’avoir'],
  paidInstead: ['order', 'payée à sa place'],
  reference: ['text', fieldNames.reference],
  cardTransactionId: ['code', 'paiement par carte'],
  dueDate: ['day', 'échéance'],
  currency: ['code', fieldNames.currency],
  'order:amount': ['money', 'montant'],
  percent: ['percent', 'remise (%)'],
  'promo_code:name': ['code', 'code'],
  description: ['text', 'description'],
  // Payouts
  amount: ['eur', fieldNames.amount],
  fee: ['eur', 'frais'],
  destination: ['code', 'destination'],
  'payout:state': [names.payoutStates, 'état'],
  'payout:type': [names.payoutTypes, 'mode de paiement'],
  'payout_batch:state': [names.batchStates, 'état'],
  'payout_batch.download:file': [names.batchFiles, 'fichier'],
  payouts: ['number', 'versements'],
  count: ['number', 'nombre de versements'],
  messageId: ['code', 'référence du fichier'],
  payoutId: ['payout', 'versement'],
  billingAccountId: ['billing_account', 'coordonnées de paiement'],
  problems: [
    { ...labelsOf(preflightProblems), never_paid: 'Jamais payé vers cette destination' },
    'alertes confirmées',
  ],
  // Reports and statements
  month: ['month', 'mois'],
  type: [names.reportTypes, 'type'],
  file: ['text', 'fichier'],
  batch: ['index', 'envoi'],
  batches: ['number', 'envois'],
  batchesExpected: ['number', 'envois attendus'],
  dropped: ['number', 'lignes sans titre depuis leur envoi'],
  rows: ['number', fieldNames.rows],
  saved: ['number', 'lignes enregistrées'],
  reports: ['number', 'rapports'],
  sums: ['number', 'sommes de relevés'],
  imports: ['number', 'imports'],
  'month:imports': ['import', 'imports'],
  importId: ['import', 'import'],
  grossUsd: ['usdSum', 'revenus bruts'],
  accountEur: ['eurSum', 'part du compte'],
  accountsEur: ['eurSum', 'part des comptes'],
  referralsEur: ['eurSum', 'part des parrains'],
  amountEur: ['eurSum', 'montant contre-passé'],
  rate: ['rate', fieldNames.rate],
  statements: ['number', fieldNames.statements],
  'import:statements': ['statement', 'relevés'],
  waitingEur: ['eurSum', 'montant en attente'],
  fileName: ['text', 'fichier'],
  source: ['text', fieldNames.source],
  preset: ['preset', fieldNames.preset],
  replaces: ['statement', 'relevé corrigé'],
  'statement_preset:replaces': ['statement_preset', 'modèle remplacé'],
  by: ['statement', 'remplacé par'],
  'statement:status': [names.statementStatuses, 'état'],
  accountingMonth: ['month', 'mois comptable'],
  declaredAmount: ['money', fieldNames.declaredAmount],
  declaredCurrency: ['code', fieldNames.declaredCurrency],
  difference: ['money', 'écart'],
  announced: ['text', 'totaux annoncés par le fichier'],
  duplicateOf: ['statement', 'lignes identiques dans'],
  duplicateLines: ['number', 'lignes identiques'],
  duplicateEur: ['eurSum', 'montant des lignes identiques'],
  confirmedRates: ['oldRate', 'taux confirmés'],
  declarations: ['declaration', 'écarts avec le récapitulatif'],
  charset: ['code', 'jeu de caractères'],
  decimalMark: ['code', fieldNames.decimalMark],
  sheets: ['text', 'feuilles'],
  member: ['text', 'fichier de l’archive'],
  name: ['text', fieldNames.name],
  // Services and tools
  'smartlink:status': [names.smartlinkStatuses, 'état'],
  slug: ['code', 'adresse'],
  urls: ['text', fieldNames.urls],
  clicks: ['number', 'clics'],
  'ticket:status': [names.ticketStatuses, 'état'],
  url: ['text', 'lien'],
  startAt: ['code', 'début du passage'],
  endAt: ['code', 'fin du passage'],
  isClaimed: ['boolean', fieldNames.isClaimed],
  isProtected: ['boolean', fieldNames.isProtected],
  releases: ['number', 'nombre de sorties'],
  created: ['number', 'titres ajoutés'],
  completed: ['number', 'titres complétés'],
  codeEdit: ['code_edit', 'modification de codes'],
  kind: [{ isrc: 'ISRC', barcode: 'code-barres' }, 'type de code'],
  unsaved: ['number', 'lignes non enregistrées'],
  unsavedRows: ['text', 'détail des lignes non enregistrées'],
  reversed: ['number', 'codes rétablis'],
  kept: ['number', 'codes laissés'],
  files: ['number', 'nombre de fichiers'],
  accounts: ['number', 'comptes'],
  admins: ['number', 'administrateurs'],
  billings: ['number', 'coordonnées de paiement'],
  contracts: ['number', 'contrats'],
  invoices: ['number', 'factures'],
  tickets: ['number', 'tickets'],
  letters: ['number', 'e-mails'],
  journalEntries: ['number', 'entrées du journal'],
  // Settings
  'house.name': ['text', 'nom du distributeur'],
  'house.address': ['text', 'adresse du distributeur'],
  'house.postcode': ['code', 'code postal du distributeur'],
  'house.city': ['text', 'ville du distributeur'],
  'house.country': ['text', 'pays du distributeur'],
  'house.siren': ['code', 'SIREN'],
  'house.vatNumber': ['code', 'numéro de TVA'],
  'house.iban': ['code', 'IBAN du distributeur'],
  'house.bic': ['code', 'BIC du distributeur'],
  'house.email': ['text', 'e-mail du distributeur'],
  houseBank: ['text', 'compte bancaire du distributeur'],
  'houseBank.iban': ['code', 'IBAN du distributeur'],
  'houseBank.bic': ['code', 'BIC du distributeur'],
  'prices.single': ['eur', 'prix du single'],
  'prices.ep': ['eur', 'prix de l’EP'],
  'prices.album': ['eur', 'prix de l’album'],
  'prices.label': ['eur', 'prix de l’abonnement label'],
  'prices.premiumLabelFee': ['eur', 'prix du label personnel'],
  'prices.expressFee': ['eur', 'prix de la livraison express'],
  payoutFeeEur: ['eur', 'frais par versement'],
  unsignedEur: ['eur', 'versements sans signature, au total'],
  payoutApprovalEur: ['eur', 'versements de 24 heures sans signature'],
  payoutHouseApprovalEur: ['eur', 'seuil d’approbation, toute l’équipe'],
  adjustmentApprovalEur: ['eur', 'seuil des régularisations'],
  payoutAlertEur: ['eur', 'montant élevé d’un versement'],
  isrcPrefixes: ['code', 'préfixes d’ISRC'],
  licenceYears: ['number', 'durée de la licence'],
  licenceTemplate: ['prose', 'modèle du contrat'],
  'contractTemplates.label': ['text', 'nom du modèle de contrat'],
  'contractTemplates.template': ['prose', 'texte du modèle de contrat'],
  'passwordResetLetter.subject': ['text', 'objet de l’e-mail «\u00a0mot de passe oublié\u00a0»'],
  'passwordResetLetter.text': ['prose', 'texte de l’e-mail «\u00a0mot de passe oublié\u00a0»'],
  'passwordChangedLetter.subject': ['text', 'objet de l’e-mail «\u00a0mot de passe changé\u00a0»'],
  'passwordChangedLetter.text': ['prose', 'texte de l’e-mail «\u00a0mot de passe changé\u00a0»'],
  'invitationLetter.subject': ['text', 'objet de l’invitation'],
  'invitationLetter.text': ['prose', 'texte de l’invitation'],
  'emailChangedLetter.subject': ['text', 'objet de l’e-mail «\u00a0adresse changée\u00a0»'],
  'emailChangedLetter.text': ['prose', 'texte de l’e-mail «\u00a0adresse changée\u00a0»'],
  'billingChangedLetter.subject': ['text', 'objet de l’e-mail «\u00a0coordonnées changées\u00a0»'],
  'billingChangedLetter.text': ['prose', 'texte de l’e-mail «\u00a0coordonnées changées\u00a0»'],
  'accessChangedLetter.subject': ['text', 'objet de l’e-mail «\u00a0accès modifié\u00a0»'],
  'accessChangedLetter.text': ['prose', 'texte de l’e-mail «\u00a0accès modifié\u00a0»'],
  'factorCodeLetter.subject': ['text', 'objet de l’e-mail «\u00a0code de second facteur\u00a0»'],
  'factorCodeLetter.text': ['prose', 'texte de l’e-mail «\u00a0code de second facteur\u00a0»'],
  'newDeviceLetter.subject': ['text', 'objet de l’e-mail «\u00a0nouvel appareil\u00a0»'],
  'newDeviceLetter.text': ['prose', 'texte de l’e-mail «\u00a0nouvel appareil\u00a0»'],
  secondFactor: [names.secondFactorPolicies, 'second facteur'],
  'retention.journalOriginMonths': ['number', 'adresse et navigateur dans le journal (mois)'],
  'retention.leftAdminMonths': ['number', 'administrateurs partis (mois)'],
  'retention.closedAccountMonths': ['number', 'comptes désactivés (mois)'],
  'retention.ticketMonths': ['number', 'tickets fermés (mois)'],
  'retention.contractMonths': ['number', 'contrats des comptes supprimés (mois)'],
  'retention.accountingMonths': ['number', 'pièces comptables des comptes supprimés (mois)'],
  'retention.statementFileMonths': ['number', 'fichiers des relevés (mois)'],
  'retention.letterDays': ['number', 'e-mails non remis (jours)'],
  location: ['text', 'emplacement'],
} as const satisfies Record<string, readonly [AuditValue, string]>;
export type AuditField = keyof typeof auditFields;

const isAuditField = (name: string): name is AuditField => Object.hasOwn(auditFields, name);

/** The row of `auditFields` for a field of an entry, by its path (`prices.album`); undefined when there is none. */
export function findAuditField(action: AuditAction, path: string): AuditField | undefined {
  const [area] = action.split('.');
  // Custom contract templates have names chosen by staff.
  const name = path.replace(/^contractTemplates\.[^.]+\./, 'contractTemplates.');
  return [`${action}:${name}`, `${auditActions[action]}:${name}`, `${area}:${name}`, name].find(isAuditField);
}

/** The fields of a record's state by path: nested objects are flattened, lists are kept whole. */
export function flattenFields(fields: Record<string, unknown> | null, prefix = ''): Map<string, unknown> {
  const flat = new Map<string, unknown>();
  for (const [key, value] of Object.entries(fields ?? {})) {
    const path = prefix + key;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) flat.set(path, value);
    else for (const [inner, leaf] of flattenFields(value as Record<string, unknown>, `${path}.`)) flat.set(inner, leaf);
  }
  return flat;
}
