import { formatPayoutNumber } from '@regie/contract/payouts.ts';

/** The journal. */
export const frJournal = {
  mark: 'À regarder',
  marks: { alerts: 'Alertes', unchecked: 'Sans second administrateur' },
  when: 'Date',
  who: 'Qui',
  record: 'Élément',
  changes: 'Changements',
  noChanges: 'Sans détail',
  before: 'Avant',
  after: 'Après',
  entity: 'Type d’élément',
  entityId: 'Numéro de l’élément',
  action: 'Action',
  admin: 'Administrateur',
  period: 'Période',
  address: 'Adresse',
  agent: 'Navigateur',
  requestId: 'Requête',
  searchPlaceholder: 'Action, élément ou personne',
  noEntry: 'Aucune entrée au journal',
  noEntryText:
    'Chaque changement de ce compte, de ses coordonnées, versements, sorties, commandes, contrats, tickets et parrainages apparaîtra ici\u00a0: qui, quand, quoi.',
  emptyTitle: 'Le journal est vide',
  emptyText: 'Chaque changement fait dans Régie apparaîtra ici : qui, quand, quoi.',
  archived: (years: string) =>
    `Des entrées d’années passées sont archivées hors de la base et n’apparaissent pas ici\u00a0: ${years}.`,
  archivedYear: (year: number, entries: string) => `${year} (${entries})`,
  absent: 'absent',
  empty: 'vide',
  signIns: 'Connexions',
  signInOptions: { with: 'Avec les connexions', only: 'Connexions seules' },
  payoutNumber: formatPayoutNumber,
  oldRate: (month: string, currency: string, rate: string, of: string) =>
    `${month}, ${currency}\u00a0: ${rate} (taux du mois\u00a0: ${of})`,
  declaration: (month: string, read: string, declared: string, difference: string) =>
    `${month}\u00a0: lu ${read}, déclaré ${declared}, écart ${difference}`,
  change: (field: string, before: string, after: string) => `${field}\u00a0: ${before} → ${after}`,
  value: (field: string, value: string) => `${field}\u00a0: ${value}`,
} as const;
