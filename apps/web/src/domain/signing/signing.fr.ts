import {
  type SignatureSubject,
  type SigningState,
  signatureMessages,
  signatureSubjectNames,
} from '@regie/contract/signatures.ts';

const s = (count: number) => (count > 1 ? 's' : '');
const state = (given: number, needed: number) =>
  `${given} signature${s(given)} sur ${needed}${needed === 1 ? ' (signature unique)' : ''}`;

export const frSigning = {
  name: (subject: SignatureSubject, name: string) => signatureSubjectNames[subject] + (name && `\u00a0: ${name}`),
  entry: (name: string, by: string) => `${name} · par ${by}`,
  state: ({ needed, count }: SigningState) =>
    needed === null ? signatureMessages.nobody : state(Math.min(count, needed), needed),
  signed: (names: readonly string[]) => `Signé par ${names.join(' et ')}`,
  end: { done: 'Ce changement est appliqué.', dropped: 'Ce changement est abandonné.' },
  former: (name: string, isPart: boolean) => `${name} (${isPart ? 'en partie' : 'a changé depuis'})`,
  canSign: (names: readonly string[]) => `peut signer\u00a0: ${names.join(', ')}`,
  sign: 'Signer',
  ask: 'Demander la signature',
  asked: (names: readonly string[]) => `La demande est envoyée à ${names.join(', ')}.`,
  withdraw: 'Retirer ma signature',
  complete: (message: string, isChange: boolean) =>
    `${message}\u00a0: ${isChange ? 'le changement est appliqué' : 'c’était la dernière attendue'}`,
  withdrawChange: 'Abandonner ce changement',
  withdrawn: 'Le changement est abandonné',
  ended: 'Il n’y a plus rien à signer ici\u00a0: c’est signé, modifié ou annulé.',
  withAmount: (reason: string, amount: string) => `${reason}\u00a0: ${amount} sans signature`,
  origin: (amount: string, label: string, by: string) => `${amount}\u00a0: ${label}${by && ` (${by})`}`,
  details: 'Voir le détail',
  reasons: {
    unsigned: 'Argent que personne n’a signé',
    destination: 'Destination que personne n’a signée',
    amount: 'Plafond des versements de 24 heures sans signature',
    adjustment: 'Régularisation au-dessus du seuil',
    setting: 'Réglage protégé',
    billing: 'Coordonnées modifiées depuis moins de 72 heures',
    access: 'Accès d’un administrateur',
    set: 'Liste des signataires',
    batch: 'Lot exporté auquel la banque a répondu',
    payee: 'Titulaire non reconnu par la banque',
    offered: 'Signature possible, non requise',
  } satisfies Record<SigningState['reasons'][number], string>,
  password: { label: 'Votre mot de passe', description: 'Votre dernière connexion date de plus de dix minutes.' },
  required: 'En attente de signature',
  signsByAct: 'Vous êtes signataire\u00a0: cet acte vaut votre signature.',
  offered: 'Signature possible',
  empty: { title: 'Rien à signer', text: 'Ce qui demande une signature apparaîtra ici.' },
  news: 'Nouveau depuis la dernière signature',
  lines: {
    payments: { title: 'Versements', what: 'Compte', note: 'Destination', amount: 'Montant, frais compris' },
    details: { title: 'Coordonnées à signer', what: 'Compte', note: 'Destination', amount: 'Solde du compte' },
    origins: { title: 'Argent que personne n’a signé, par origine', what: 'Origine', note: 'Par' },
    made: { title: 'Imports, par origine', what: 'Origine', note: 'Par' },
    credits: { title: 'Crédité aux comptes', what: 'Compte', note: '' },
  },
  what: 'Objet',
  amount: 'Montant',
  withFees: 'frais compris',
  toSign: 'Montant à signer',
  unsigned: 'Sans signature',
  by: 'Par',
  at: 'Date',
  canBeSigned: 'À signer par vous',
  isNew: 'Nouvelle',
  more: (count: number) => `et ${count} autre${s(count)}`,
} as const;
