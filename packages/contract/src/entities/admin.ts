import { clear, type Entity, emailApart, type Tables, toList } from '#src/entity.ts';
import { fieldNames } from '#src/field-names.ts';
import { providerFailures } from '#src/identity-provider.ts';
import { common } from './common.ts';

/** Sign-ins and sign-outs. */
export const signIns = {
  'auth.signin': 'Connexion',
  'auth.signin_failed': 'Connexion refusée',
  'auth.factor_failed': 'Second facteur refusé',
  'auth.signout': 'Déconnexion',
  'auth.end_session': 'Session fermée à distance',
  'auth.end_sessions': 'Autres sessions fermées',
  'auth.confirm_identity': 'Identité confirmée par le service de connexion',
} as const;

export const admin = {
  label: 'Administrateur',
  link: toList('/accounts/manage-admins'),
  actions: {
    ...signIns,
    'auth.password_reset_request': 'Lien de mot de passe demandé',
    'auth.password_reset': 'Mot de passe changé',
    'auth.change_password': 'Mot de passe changé par son titulaire',
    'auth.signup': 'Compte créé sur invitation',
    'auth.provider_signup': 'Compte créé par le service de connexion',
    'admin.link_identity': 'Compte lié au service de connexion',
    'admin.follow_provider': 'Droits repris du service de connexion',
    'admin.create': 'Administrateur ajouté',
    'admin.edit': 'Administrateur modifié',
    'admin.reset_password': 'Mot de passe de la démonstration rétabli',
    'admin.delete': 'Administrateur supprimé',
    'admin.export': 'Données d’un administrateur exportées',
    'admin.erase': 'Données d’un administrateur supprimées',
    'admin.vouch': 'Administrateur déclaré indépendant',
    'admin.propose_access': 'Changement de l’accès d’un signataire proposé',
    'admin.sign_access': 'Changement d’accès signé',
    'signatory.propose': 'Changement des signataires proposé',
    'signatory.sign': 'Changement des signataires signé',
    'signatory.add': 'Signataire ajouté',
    'signatory.remove': 'Signataire retiré',
    'admin.add_factor': 'Second facteur ajouté',
    'admin.ask_factor_lift': 'Levée du second facteur demandée',
    'admin.cancel_factor_lift': 'Levée du second facteur abandonnée',
    'admin.lift_factor': 'Second facteur levé',
    'admin.remove_factor': 'Second facteur retiré',
    'admin.renew_recovery_codes': 'Codes de secours remplacés',
  },
  fields: {
    passwordChanged: [{ true: 'remplacé' }, 'mot de passe'],
    capabilities: ['capability', fieldNames.capabilities],
    'auth.signin:factor': [
      { totp: 'application', passkey: 'clé d’accès', recovery: 'code de secours' },
      'moyen utilisé',
    ],
    dueAt: ['instant', 'prend effet le'],
    provider: ['text', 'service de connexion'],
    'auth.signin_failed:provider': [providerFailures, 'refus du service de connexion'],
    providerFactor: ['boolean', 'second facteur demandé par le service de connexion'],
    hasFactor: ['boolean', 'second facteur demandé par le service de connexion'],
    isAdded: [{ true: 'à ajouter', false: 'à retirer' }, 'signataire'],
    factorsLifted: [{ true: 'à lever' }, 'seconds facteurs'],
  },
  personal: {
    fname: common.fname,
    lname: common.lname,
    email: common.email,
    factor: ['text', 'second facteur'],
    device: ['text', 'appareil'],
    address: ['code', 'adresse du réseau'],
    fingerprint: ['code', 'empreinte de l’adresse saisie'],
    issuer: ['text', 'service de connexion'],
    name: common.name,
  },
} as const satisfies Entity;

export const adminTables: Tables = {
  admins: {
    record: {
      name: `t.first_name || ' ' || t.last_name || ${emailApart('admins', 't')}`,
      isGone: 't.deleted_at IS NOT NULL',
      search: `fold(t.first_name || ' ' || t.last_name)`,
    },
    says: 'Administrateur : identité, adresse e-mail',
    of: { admin: 't.id = $id' },
    columns: 'id created_at deleted_at erased_at is_from_provider created_by',
    admin: {
      first_name: { put: `'administrateur'` },
      last_name: { put: `'supprimé n° ' || t.id` },
      email: { put: `'administrateur-' || t.id || '@supprime.invalid'` },
    },
    secret: { password_hash: clear },
  },
  admin_capabilities: { says: 'Droits', columns: 'capability admin_id' },
  admin_identities: {
    says: 'Identité au service de connexion',
    columns: 'linked_at admin_id',
    admin: { issuer: 'delete', subject: 'delete' },
  },
  sessions: {
    says: 'Sessions ouvertes : appareil, adresse',
    columns: `id created_at last_seen_at factor_at own_factor_at is_from_provider has_provider_factor
      provider_confirmed_at admin_id`,
    admin: { device: 'delete', address: 'delete' },
    secret: { token_hash: 'delete' },
  },
  password_resets: {
    says: 'Demandes de nouveau mot de passe',
    columns: 'expires_at used_at created_at admin_id',
    secret: { token_hash: 'delete' },
  },
  second_factors: {
    says: 'Seconds facteurs',
    columns: 'id kind last_step sign_count transports created_at last_used_at removed_at admin_id',
    admin: { name: 'delete', credential_id: 'delete', public_key: 'delete' },
    secret: { totp_secret: 'delete' },
  },
  recovery_codes: {
    says: 'Codes de secours : dates',
    columns: 'created_at used_at admin_id',
    secret: { code_hash: 'delete' },
  },
  auth_challenges: {
    says: 'Étapes de connexion en cours',
    columns: 'purpose expires_at admin_id',
    secret: { token_hash: 'delete', challenge: 'delete', totp_secret: 'delete' },
  },
  signatories: { says: 'Signataire : depuis quand', columns: 'id added_at removed_at admin_id added_by removed_by' },
  signatures: {
    says: 'Signatures',
    columns: 'id subject subject_id version unsigned_eur at is_sole assertion_id withdrawn_at used_at admin_id',
  },
  signature_assertions: {
    says: 'Signatures par clé d’accès',
    columns: 'id at digest nonce origin relying_party admin_id',
    admin: {
      'credential_id public_key client_data authenticator_data signature': {
        keep: 'always',
        why: 'ledger:verify checks the signature',
      },
    },
  },
  signed_parts: {
    says: 'Ce que les signatures couvrent',
    columns: 'id account_id subject subject_id amount_eur at voided_at',
    secret: { destination: { keep: 'always', why: 'the hash says which destinations are signed' } },
  },
  saved_views: {
    says: 'Vues enregistrées',
    columns: 'id list created_at admin_id',
    admin: { name: 'delete', search: 'delete' },
  },
  sidebars: { says: 'Menu', columns: 'admin_id', admin: { favourites: 'delete', opened: 'delete' } },
  idempotency_keys: {
    says: 'Appels récents',
    columns: 'scope created_at admin_id',
    // Answers to this admin's calls: they may hold any record's data, for seven days.
    secret: { key: 'delete', body_hash: 'delete', response: 'expire' },
  },
};
