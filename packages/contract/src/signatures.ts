import { keysOf, z } from './zod.ts';

const nbsp = '\u00a0';

/** What one signs, by its address `/signatures/:subject/:id` (product §39.17). */
export const signatureSubjectNames = {
  payout: 'Versement',
  batch: 'Lot de versements',
  /** All payments that nobody has signed; its id is `all`. */
  payments: 'Versements payés sans signature',
  import: 'Import',
  /** The imports of a month; its id is `YYYY-MM`. */
  month: 'Mois comptabilisé',
  billing: 'Coordonnées de paiement',
  /** An adjustment, a guarded setting, an admin's access, the set, or an exported batch that the bank doubts. */
  proposal: 'Changement proposé',
} as const;
export const SignatureSubject = z.enum(keysOf(signatureSubjectNames));
export type SignatureSubject = z.infer<typeof SignatureSubject>;

/** Why two signatures are needed; `offered`: signing is possible and not required. */
export const SignatureReason = z.enum([
  'unsigned',
  'destination',
  'amount',
  'adjustment',
  'setting',
  'billing',
  'access',
  'set',
  'batch',
  'payee',
  'offered',
]);
export type SignatureReason = z.infer<typeof SignatureReason>;

const Signer = z.object({ name: z.string(), at: z.number(), isOwn: z.boolean() });

/** The signatures of a record: given, needed, and who can still give one. */
export const SigningState = z.object({
  /** Two, one in a set of one signatory; null where there is none, so that nothing can be signed. */
  needed: z.number().nullable(),
  /** The signatures that each of its parts has. */
  count: z.number(),
  /** Done or given up: its page shows who signed it, and nothing is left to sign. */
  end: z.enum(['done', 'dropped']).nullable(),
  reasons: z.array(SignatureReason),
  /** Of all of it; once it is done, those that served. */
  signatures: z.array(Signer),
  /** Of a part, or of what it was before it changed. */
  former: z.array(Signer.extend({ isPart: z.boolean() })),
  signers: z.array(z.string()),
  canSign: z.boolean(),
  /** What was shown: signing names it. */
  version: z.string(),
});
export type SigningState = z.infer<typeof SigningState>;

/** The setting `unsignedEur`, and what it may be at most, EUR. */
export const defaultUnsignedEur = 500;
export const maxUnsignedEur = 5000;

export const signatureMessages = {
  nobodyElse: 'Aucun autre signataire ne peut encore signer',
  nobody: `Aucun signataire n’est désigné${nbsp}: demandez à l’administrateur du serveur`,
  /** @param showsCommand the reader manages admins or settings */
  none: (showsCommand: boolean) =>
    `Aucun signataire${nbsp}: rien de ce qui demande une signature ne peut se faire. ${showsCommand ? `Désignez-en sur le serveur${nbsp}: npm run signatory -- add ADRESSE` : 'Demandez à l’administrateur du serveur'}.`,
  missing: (count: number) =>
    count === 1
      ? `Ce versement n’a pas toutes ses signatures${nbsp}: demandez celles qui manquent`
      : `${count} versements n’ont pas toutes leurs signatures${nbsp}: demandez celles qui manquent`,
  notSignatory: 'Seul un signataire peut signer',
  signed: 'Vous avez déjà signé',
  changed: `Ce que vous signez a changé depuis que vous l’avez ouvert${nbsp}: vérifiez-le, puis signez de nouveau`,
  nothing: 'Il n’y a rien à signer',
  own: 'Cette signature doit être celle d’une autre personne',
  proof: `Pour signer, confirmez que c’est bien vous${nbsp}: indiquez votre mot de passe`,
  proofFactor: `Pour signer, ajoutez d’abord un second facteur dans Sécurité${nbsp}: le service de connexion ne suffit pas`,
  unsignedPasskey: 'Signez avec votre clé d’accès',
  waits: `Le changement est proposé${nbsp}: il attend les signatures nécessaires`,
  lastOnServer: 'Passer de deux signataires à un seul se fait sur le serveur (npm run signatory)',
  tooFew: `Cette personne est signataire${nbsp}: son accès ne change que par elle-même, ou sur le serveur`,
  deleteSignatory: `Cette personne est signataire${nbsp}: proposez d’abord son retrait`,
  resetFactor: `Cette personne est signataire${nbsp}: indiquez un code de son application ou un code de secours`,
  resetRefused: `Vous êtes signataire sans second facteur${nbsp}: ce lien ne suffit pas. Faites proposer un nouveau mot de passe par un collègue, que deux autres signataires signent, ou demandez à l’administrateur du serveur`,
  present: 'Cette personne est déjà signataire',
  absent: 'Cette personne n’est pas signataire',
} as const;
