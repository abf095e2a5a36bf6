import type { AuditFields } from '#src/entity.ts';
import { fieldNames } from '#src/field-names.ts';
import * as names from '#src/state-names.ts';

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

/** Fields of entries about several kinds of records. */
export const common = {
  fullname: ['text', fieldNames.fullname],
  fname: ['text', 'prénom'],
  lname: ['text', 'nom'],
  email: ['text', 'e-mail'],
  name: ['text', fieldNames.name],
  title: ['text', fieldNames.title],
  address: ['text', fieldNames.address],
  userId: ['#account', fieldNames.userId],
  trackId: ['#track', fieldNames.trackId],
  libraryId: ['#release', fieldNames.libraryId],
  reason: ['text', fieldNames.reason],
  note: ['prose', fieldNames.note],
  file: ['text', 'fichier'],
  month: ['month', 'mois'],
  type: [names.reportTypes, 'type'],
  rows: ['number', fieldNames.rows],
  amount: ['eur', fieldNames.amount],
  imports: ['number', 'imports'],
  statements: ['number', fieldNames.statements],
  currency: ['code', fieldNames.currency],
  dueDate: ['day', 'échéance'],
  importId: ['#import', 'import'],
  amountEur: ['eurSum', 'montant contre-passé'],
  recordingOwnerName: ['text', fieldNames.recordingOwnerName],
  alert: [alertKinds, 'alerte'],
  unchecked: ['boolean', 'sans seconde personne'],
  withdrawn: [{ true: 'retirée' }, 'signature'],
  warnings: ['text', 'avertissements'],
  proposedBy: ['#admin', 'proposé par'],
  approvedBy: ['#admin', 'approuvé par'],
  makers: ['#admin', 'ajouté ou modifié par'],
} as const satisfies AuditFields;
