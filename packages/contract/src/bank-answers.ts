import { keysOf, z } from './zod.ts';

const nbsp = '\u00a0';

/** What the bank says of a payee's name, before it executes anything. */
export const verdicts = {
  match: 'Titulaire vérifié',
  near: 'Nom proche',
  none: 'Autre titulaire',
  unverified: 'Non vérifiable',
} as const;
export const Verdict = z.enum(keysOf(verdicts));
export type Verdict = z.infer<typeof Verdict>;

/** What the bank does with a payment; `unexecuted`: its whole file was given up. */
export const outcomes = { accepted: 'Accepté', rejected: 'Rejeté', unexecuted: 'Non exécuté' } as const;
export const Outcome = z.enum(keysOf(outcomes));
export type Outcome = z.infer<typeof Outcome>;

/** ISO 20022 reason codes of credit transfers; others are shown as they are. */
const reasons: Readonly<Record<string, string>> = {
  AC01: 'IBAN incorrect',
  AC03: 'IBAN du bénéficiaire incorrect',
  AC04: 'Compte clos',
  AC06: 'Compte bloqué',
  AC13: 'Type de compte incorrect',
  AG01: 'Virement interdit sur ce compte',
  AG02: 'Type d’opération incorrect',
  AM02: 'Montant interdit',
  AM03: 'Devise non traitée',
  AM04: 'Provision insuffisante',
  AM05: 'Opération en double',
  AM09: 'Montant incorrect',
  AM10: 'Total de contrôle incorrect',
  BE01: 'Nom et numéro de compte ne concordent pas',
  BE04: 'Adresse du bénéficiaire incomplète',
  BE05: 'Émetteur inconnu',
  BE06: 'Bénéficiaire inconnu',
  BE07: 'Adresse de l’émetteur incomplète',
  CNOR: 'Banque du bénéficiaire non joignable',
  CUST: 'À la demande de l’émetteur',
  DNOR: 'Banque de l’émetteur non joignable',
  DS02: 'Ordre annulé',
  DS0H: 'Signataire sans pouvoir sur ce compte',
  DT01: 'Date incorrecte',
  DUPL: 'Paiement en double',
  ED05: 'Règlement échoué',
  FF01: 'Format de fichier incorrect',
  MD07: 'Bénéficiaire décédé',
  MS02: 'Refus du client, sans motif',
  MS03: 'Refus de la banque, sans motif',
  NARR: 'Voir le message de la banque',
  RC01: 'BIC incorrect',
  RC03: 'BIC de l’émetteur incorrect',
  RC04: 'BIC du bénéficiaire incorrect',
  RF01: 'Référence déjà utilisée',
  RR01: 'Motif réglementaire',
  RR02: 'Motif réglementaire',
  RR03: 'Motif réglementaire',
  RR04: 'Motif réglementaire',
  RVNM: 'Le titulaire du compte est une autre personne',
  RVMC: 'Le nom du titulaire est proche, mais différent',
  RVNA: 'La banque du bénéficiaire ne vérifie pas le titulaire',
  TM01: 'Reçu après l’heure limite',
};

/** `Compte clos (AC04)`, or the code alone. */
export const reasonOf = (code: string): string => (reasons[code] ? `${reasons[code]} (${code})` : code);

export const BankAnswer = z.object({
  at: z.number(),
  verdict: Verdict.nullable(),
  outcome: Outcome.nullable(),
  code: z.string().nullable(),
  /** The bank's words: of a near match the name it knows. */
  said: z.string().nullable(),
});
export type BankAnswer = z.infer<typeof BankAnswer>;

/** Paid all the same, it needs signatures. */
export const isDoubtful = (verdict: Verdict | null | undefined): boolean => verdict === 'near' || verdict === 'none';

export const maxReportBytes = 16 * 1024 * 1024;

const file = 'Ce compte rendu n’est pas enregistré';
export const bankMessages = {
  notXml: (line: number) => `${file}${nbsp}: le fichier est coupé, ou n’est pas un XML lisible (ligne ${line})`,
  doctype: `${file}${nbsp}: il contient un DOCTYPE, qu’un compte rendu bancaire n’a jamais`,
  encoding: (name: string) => `${file}${nbsp}: son encodage, ${name}, n’est pas pris en charge`,
  namespace: (found: string) =>
    `${file}${nbsp}: il faut un pain.002.001.03 ou pain.002.001.10, celui-ci est${nbsp}: ${found || 'sans espace de noms'}`,
  foreign: (found: string, expected: string) =>
    `${file}${nbsp}: il répond au fichier ${found || 'sans référence'}, et non à ${expected}`,
  unknown: (reference: string) => `${file}${nbsp}: le paiement ${reference} n’est pas dans le fichier SEPA de ce lot`,
  notInBatch: 'Ce versement n’est pas dans ce lot',
  twice: (reference: string) => `${file}${nbsp}: le paiement ${reference} y figure deux fois`,
  amount: (reference: string) => `${file}${nbsp}: le montant du paiement ${reference} n’est pas celui du lot`,
  contradiction: (reference: string) =>
    `${file}${nbsp}: la banque a déjà donné, pour le paiement ${reference}, une réponse contraire. Demandez-lui laquelle vaut`,
  status: (status: string) => `${file}${nbsp}: l’état ${status} n’est pas connu`,
  silent: `${file}${nbsp}: il ne dit rien d’aucun paiement`,
  known: 'Ce compte rendu est déjà enregistré',
  paid: `Ce lot est déjà marqué comme payé${nbsp}: enregistrez chaque paiement rejeté sur son versement`,
  executed: `La banque a exécuté au moins un paiement de ce fichier${nbsp}: le lot ne peut plus être abandonné`,
  nothing: 'Choisissez la réponse de la banque',
  doubtStays: `La banque n’a pas reconnu ce titulaire${nbsp}: seul un compte rendu de la banque le change. Sinon, payez avec deux signatures`,
  rejectedUnpaid: `Des paiements de ce lot sont rejetés${nbsp}: remettez-les en attente, ou abandonnez le lot`,
  noneRejected: 'Aucun paiement du lot n’est rejeté',
} as const;
