export const accountStates = { ENABLED: 'Actif', HOLD: 'Bloqué', DISABLED: 'Désactivé' } as const;
export const accountRoles = { CUSTOMER: 'Client', LABEL: 'Label' } as const;
export const vatRegimes = {
  franchise: 'Franchise en base',
  simplified: 'Réel simplifié',
  normal: 'Réel normal',
} as const;
export const statementPeriods = {
  month: 'Mois',
  quarter: 'Trimestre',
  half_year: 'Semestre',
  year: 'Année',
} as const;
export const billingTypes = { bank: 'Compte bancaire', paypal: 'Compte PayPal' } as const;
export const planNames = { single: 'Single', ep: 'EP', album: 'Album', label: 'Abonnement label' } as const;
export const orderStatuses = { PENDING: 'En attente', PAID: 'Payée', CANCEL: 'Annulée' } as const;
export const payoutStates = { PENDING: 'En attente', PAID: 'Payé', CANCEL: 'Annulé' } as const;
export const payoutTypes = { bank: 'Compte bancaire', paypal: 'PayPal' } as const;
export const batchStates = {
  draft: 'Créé',
  approved: 'Approuvé',
  exported: 'Exporté',
  paid: 'Payé',
  void: 'Abandonné',
} as const;
export const batchFiles = { sepa: 'Virement SEPA', paypal: 'PayPal', manual: 'Virement manuel' } as const;
export const sepaAddresses = {
  hybrid: 'Hybride (lignes, ville et pays)',
  structured: 'Structurée (rue et numéro à part)',
} as const;
export const reportTypes = { platform: 'Plateformes', youtube: 'Plateformes vidéo' } as const;
export const statementStatuses = {
  received: 'Reçu',
  reading: 'En lecture',
  unrecognised: 'Non reconnu',
  ambiguous: 'À préciser',
  refused: 'Refusé',
  unpacked: 'Archive ouverte',
  summary: 'Récapitulatif',
  loaded: 'À valider',
  checked: 'Validé',
  replaced: 'Remplacé',
  removed: 'Retiré',
} as const;
const { replaced, removed, ...liveStatuses } = statementStatuses;
/** One word per state, of a statement and of the month board. */
export const statementStates = {
  ...liveStatuses,
  doubled: 'En double\u00a0?',
  unmatched: 'Non attribués',
  posted: 'Comptabilisé',
  ...{ replaced, removed },
} as const;
export const smartlinkStatuses = { PENDING: 'En attente', ENABLED: 'Active' } as const;
export const ticketStatuses = { OPENED: 'Ouvert', CLOSED: 'Fermé' } as const;
export const secondFactorPolicies = {
  optional: 'Facultatif',
  money:
    'Obligatoire pour payer, exporter, annuler des rapports et modifier les comptes, leurs coordonnées, les taux, les droits et les réglages',
  all: 'Obligatoire pour tous',
} as const;
/** The actor's label when there is no person. */
export const systemName = 'Système';
