import { messages } from './messages.ts';
import { states } from './states.ts';
import { keysOf, z } from './zod.ts';

/** product §14.2; names on the wire. */
export const PayoutState = z.enum(states.payout.toWire);
export type PayoutState = z.infer<typeof PayoutState>;

export const BatchState = z.enum(['draft', 'exported', 'paid', 'void']);
export type BatchState = z.infer<typeof BatchState>;

export const BillingType = z.enum(['bank', 'paypal']);
export type BillingType = z.infer<typeof BillingType>;

const nbsp = '\u00a0';
const maxNamed = 10;

export const payoutMessages = {
  // product §15.9.
  amount: 'Ajoutez un montant',
  account: 'Sélectionnez un compte(bancaire ou PayPal)',
  noBilling: `Aucune coordonnée de paiement${nbsp}: ajoutez un compte bancaire ou PayPal`,
  severalAccounts: `Plusieurs coordonnées, et aucune n’a encore été payée${nbsp}: choisissez celle qui convient`,
  amountDecimals: 'Un montant en euros a deux décimales au plus',
  amountOverBalance: 'Le montant dépasse le solde du compte',
  balanceTooSmall: `Le solde n’atteint pas 0,10${nbsp}€, le minimum d’un versement`,
  /** For a request; `fee` is formatted, "0,60 €". */
  amountWithinFee: (fee: string) => `Le montant ne couvre pas les frais de versement (${fee})`,
  balanceWithinFee: (fee: string) => `Le solde ne couvre pas les frais de versement (${fee})`,
  status: 'Choisissez un état',
  reason: 'Indiquez le motif du retour',
  noReason: 'Le paiement rejeté est enregistré sans motif',
  replaced: (number: string) => `Remplacé par le versement ${number}`,
  netTooSmall: `Une fois les frais déduits, il ne reste rien à verser${nbsp}: annulez ce versement`,
  negativeBalance: `Le solde du compte est négatif${nbsp}: régularisez-le ou annulez ce versement`,
  recentlyChanged: `Coordonnées modifiées récemment${nbsp}: attendez 72 heures, ou faites-les signer`,
  billingDeleted: `Ces coordonnées ont été supprimées${nbsp}: annulez ce versement puis demandez-en un autre`,
  isExported: 'Ce versement figure dans un fichier bancaire exporté',
  isDownloaded: `Le reçu de ce versement a été téléchargé${nbsp}: enregistrez plutôt un paiement rejeté`,
  exportedPending: `Ce versement figure dans un fichier bancaire exporté${nbsp}: marquez d’abord le lot comme payé`,
  alreadySo: 'Ce versement est déjà dans cet état',
  closed: 'Un versement annulé n’est plus modifiable',
  notPaid: 'Ce versement n’est pas payé',
  notPending: 'Ce versement n’est pas en attente',
  batchEmpty: 'Choisissez au moins un versement',
  batchBlocked: `Des versements ne peuvent pas partir${nbsp}: retirez-les du lot`,
  batchWarned: `Des versements demandent votre attention${nbsp}: confirmez-les ou retirez-les`,
  everyoneChanged: `Des soldes ou des coordonnées ont changé depuis le contrôle${nbsp}: voici la liste à jour`,
  batchState: 'L’état du lot ne le permet pas',
  houseBank: `L’IBAN du distributeur manque ou n’est pas valide${nbsp}: indiquez-le dans les réglages`,
  houseName: `Le nom du distributeur ne s’écrit pas dans un fichier bancaire${nbsp}: changez-le dans les réglages`,
  noFile: 'Ce lot n’a aucun versement de cette sorte',
  /** The accounts that block marking an exported batch as paid, by name. */
  batchStopped: (names: readonly string[]) =>
    `${messages.accountDisabled}${nbsp}: ${names.slice(0, maxNamed).join(', ')}${names.length > maxNamed ? ` et ${names.length - maxNamed} autres` : ''}. Réactivez ${names.length === 1 ? 'ce compte' : 'ces comptes'} le temps de marquer le lot comme payé${nbsp}; un paiement rejeté par la banque s’enregistre ensuite comme tel`,
} as const;

/** The smallest payout that can be requested, EUR (product §19.9). */
export const minPayoutEur = 0.1;

export const isAboveFee = (amountEur: number, feeEur: number): boolean =>
  Math.round(amountEur * 100) > Math.round(feeEur * 100);

export interface PayoutFacts {
  payoutState: PayoutState;
  payoutNet: number;
  userState: 'ENABLED' | 'HOLD' | 'DISABLED';
  userIncome: number;
  isExported: boolean;
  payoutDownloaded: 0 | 1;
  isRecentlyChanged: boolean;
  isBillingDeleted: boolean;
}

/** `PENDING`, `PAID` and `CANCEL` are target states; `delete` removes the payout. */
export type PayoutTransition = PayoutState | 'delete';
type Rule = (facts: PayoutFacts) => string | undefined;

const canPay: Rule = (facts) => {
  if (facts.isExported) return payoutMessages.exportedPending;
  return findPaymentRefusal(facts);
};
const canDrop: Rule = (facts) => (facts.isExported ? payoutMessages.exportedPending : undefined);
const canUndo: Rule = (facts) => {
  if (facts.isExported) return payoutMessages.isExported;
  return facts.payoutDownloaded === 1 ? payoutMessages.isDownloaded : undefined;
};

function findPaymentRefusal(
  facts: Omit<PayoutFacts, 'payoutState' | 'isExported' | 'payoutDownloaded'>,
): string | undefined {
  if (facts.userState !== 'ENABLED') return messages.accountDisabled;
  if (facts.payoutNet < 0.01) return payoutMessages.netTooSmall;
  if (facts.userIncome < 0) return payoutMessages.negativeBalance;
  if (facts.isBillingDeleted) return payoutMessages.billingDeleted;
  return facts.isRecentlyChanged ? payoutMessages.recentlyChanged : undefined;
}

/** The state table of product §33.19: every transition from every state, with the reason for a refusal. */
const payoutTransitions: Record<PayoutState, Partial<Record<PayoutTransition, Rule>>> = {
  PENDING: { PAID: canPay, CANCEL: canDrop, delete: canDrop },
  PAID: { PENDING: canUndo, CANCEL: () => undefined, delete: canUndo },
  CANCEL: {},
};

/** Why this payout cannot make this transition now; undefined when it can. */
export function findPayoutRefusal(move: PayoutTransition, facts: PayoutFacts): string | undefined {
  const rule = payoutTransitions[facts.payoutState][move];
  return rule ? rule(facts) : payoutMessages.closed;
}

export const batchTransitions = {
  export: ['draft', 'exported', 'paid'],
  pay: ['exported'],
  answer: ['exported'],
  void: ['draft'],
  /** Nothing of its files was executed. */
  abandon: ['exported'],
  /** The bank rejected some of its payouts: they leave it. */
  return: ['exported'],
} as const satisfies Record<string, readonly BatchState[]>;
export type BatchTransition = keyof typeof batchTransitions;

export const canTransitionBatch = (move: BatchTransition, state: BatchState): boolean =>
  (batchTransitions[move] as readonly BatchState[]).includes(state);

export const preflightProblems = {
  not_pending: { isBlocking: true, label: 'N’est plus en attente' },
  in_batch: { isBlocking: true, label: 'Déjà dans un lot' },
  account_closed: { isBlocking: true, label: messages.accountDisabled },
  net_too_small: { isBlocking: true, label: 'Rien à verser une fois les frais déduits' },
  billing_deleted: { isBlocking: true, label: 'Coordonnées supprimées' },
  recently_changed: { isBlocking: true, label: 'Coordonnées modifiées récemment' },
  invalid_iban: { isBlocking: true, label: 'IBAN non valide' },
  invalid_bic: { isBlocking: true, label: 'BIC non valide' },
  invalid_email: { isBlocking: true, label: 'E-mail PayPal non valide' },
  unreadable_name: { isBlocking: true, label: 'Nom impossible à écrire dans un fichier bancaire' },
  unreadable_town: { isBlocking: true, label: 'Ville ou pays impossible à écrire dans un fichier bancaire' },
  negative_balance: { isBlocking: true, label: 'Solde négatif' },
  duplicate_beneficiary: { isBlocking: false, label: 'Bénéficiaire en double' },
  large_amount: { isBlocking: false, label: 'Montant élevé' },
  payee_doubtful: { isBlocking: false, label: 'Titulaire non reconnu par la banque' },
  bank_rejected: { isBlocking: false, label: 'Déjà rejeté par la banque' },
} as const satisfies Record<string, { isBlocking: boolean; label: string }>;
export type PreflightProblem = keyof typeof preflightProblems;
export const PreflightProblem = z.enum(keysOf(preflightProblems));

export const PaymentFile = z.enum(['sepa', 'paypal', 'manual']);
export type PaymentFile = z.infer<typeof PaymentFile>;

/** `V-000123`, on receipts, lists and bank statements. */
export const formatPayoutNumber = (id: number): string => `V-${String(id).padStart(6, '0')}`;
