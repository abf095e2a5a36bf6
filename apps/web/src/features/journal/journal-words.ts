/** The journal's codes in French; a code that has no words yet shows as it is. */
export const entityNames: Record<string, string> = {
  admin: 'Administrateur',
  invitation: 'Invitation',
  session: 'Session',
  report: 'Rapport',
  import: 'Import',
  exchange_rate: 'Taux de change',
  account: 'Compte',
  release: 'Sortie',
  track: 'Titre',
  payout: 'Versement',
  setting: 'Réglage',
};

const verbs: Record<string, string> = {
  create: 'Création',
  created: 'Création',
  add: 'Ajout',
  edit: 'Modification',
  update: 'Modification',
  updated: 'Modification',
  set: 'Modification',
  put: 'Modification',
  delete: 'Suppression',
  deleted: 'Suppression',
  remove: 'Suppression',
  reverse: 'Contre-passation',
  reversed: 'Contre-passation',
  import: 'Import',
  invite: 'Invitation',
  cancel: 'Annulation',
  withdraw: 'Retrait',
  signin: 'Connexion',
  sign_in: 'Connexion',
  signout: 'Déconnexion',
  sign_out: 'Déconnexion',
  signup: 'Création du compte',
  sign_up: 'Création du compte',
  password_reset: 'Nouveau mot de passe',
  reset_password: 'Nouveau mot de passe',
  request_password_reset: 'Demande de nouveau mot de passe',
};

const fields: Record<string, string> = {
  fname: 'prénom',
  lname: 'nom',
  name: 'nom',
  email: 'e-mail',
  password: 'mot de passe',
  capabilities: 'droits',
  month: 'mois',
  currency: 'devise',
  rate: 'taux',
  type: 'type',
  state: 'état',
  status: 'état',
  amount: 'montant',
  amountEur: 'montant (€)',
  grossUsd: 'revenus bruts ($US)',
  grossEur: 'revenus bruts (€)',
  accountsEur: 'part des comptes (€)',
  rows: 'lignes',
  saved: 'enregistrées',
  unsaved: 'non enregistrées',
  reports: 'rapports',
  deleted: 'supprimés',
  fileName: 'fichier',
  file_name: 'fichier',
  createdAt: 'créé le',
  expiresAt: 'expire le',
};

export function entityLabel(entity: string): string {
  return entityNames[entity] ?? entity;
}

/** `admin.edit` reads by its verb: the record stands beside it. */
export function actionLabel(action: string): string {
  const verb = action.split(/[.:]/).at(-1) ?? action;
  return verbs[action] ?? verbs[verb] ?? action;
}

export function fieldLabel(field: string): string {
  return fields[field] ?? field;
}
