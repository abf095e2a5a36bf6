import { accountName, clear, clearAfterAccounting, type Entity, type Tables, toPage } from '#src/entity.ts';
import { fieldNames } from '#src/field-names.ts';
import * as names from '#src/state-names.ts';

export const order = {
  label: 'Commande',
  link: toPage('/accounts/invoice'),
  isNumbered: true,
  isOfAccount: true,
  actions: {
    'order.create': 'Commande créée',
    'order.price': 'Prix de la commande recalculé',
    'order.start_card': 'Paiement par carte ouvert',
    'order.pay': 'Commande payée',
    'order.card_failed': 'Carte refusée',
    'order.card_refused': 'Paiement par carte non reconnu',
    'order.paid_twice': 'Commande payée deux fois',
    'order.download': 'Factures d’un mois téléchargées',
    'order.set_status': 'État de la commande modifié',
    'subscription.create': 'Abonnement commandé',
    'subscription.cancel': 'Abonnement résilié',
    'subscription.move': 'Échéance de l’abonnement déplacée',
  },
  fields: {
    plan: [names.planNames, 'formule'],
    planPrice: ['eur', 'prix de la formule'],
    labelFees: ['eur', 'frais de label'],
    expressDeliveryPrice: ['eur', 'prix de la livraison express'],
    discount: ['eur', 'remise'],
    vatPercent: ['percent', 'taux de TVA'],
    total: ['eur', 'total'],
    promoCode: ['code', 'code promo'],
    status: [names.orderStatuses, 'état'],
    amount: ['money', 'montant'],
    'order.card_refused:reason': [
      { unknown_payment: 'paiement inconnu', amount_or_currency: 'montant ou devise différents de la commande' },
      'motif',
    ],
    'order.paid_twice:reason': [
      { already_paid: 'commande déjà payée', release_paid: 'sortie déjà payée par une autre commande' },
      'motif',
    ],
    invoiceNumber: ['code', 'numéro de facture'],
    creditNote: ['code', 'avoir'],
    creditedInvoice: ['code', 'facture annulée par l’avoir'],
    paidInstead: ['#order', 'payée à sa place'],
  },
  personal: { reference: ['text', fieldNames.reference], cardTransactionId: ['code', 'paiement par carte'] },
} as const satisfies Entity;

export const orderTables: Tables = {
  orders: {
    record: {
      join: 'JOIN accounts a ON a.id = t.account_id',
      name: accountName('a'),
      search: { accounts: ['t.account_id'] },
    },
    says: 'Commandes et factures',
    dated: 'coalesce(t.issued_at, t.created_at)',
    columns: `id account_id release_id plan status currency plan_price label_fees express_price discount total
      vat_percent promo_code_id due_date invoice_year invoice_number issued_at paid_at created_at cancelled_at
      created_by seller`,
    account: {
      receipt_email: clear,
      'buyer payment_reference card_transaction_id payment_intent_id': clearAfterAccounting,
    },
  },
  credit_notes: {
    says: 'Avoirs',
    dated: 't.issued_at',
    of: { account: 't.order_id IN (SELECT o.id FROM orders o WHERE o.account_id = $id)' },
    columns: 'year number order_id invoice_year invoice_number invoice_issued_at issued_at created_by seller',
    account: { 'buyer card_transaction_id payment_reference': clearAfterAccounting },
  },
  stripe_events: {
    says: 'Messages du prestataire de paiement',
    of: { account: 't.order_id IN (SELECT o.id FROM orders o WHERE o.account_id = $id)' },
    columns: 'id type order_id received_at',
  },
  invoice_counters: { columns: 'year last_number' },
  credit_note_counters: { columns: 'year last_number' },
};
