import { accountName, clearAfterAccounting, type Entity, type Tables, toPage } from '#src/entity.ts';
import * as names from '#src/state-names.ts';
import { common } from './common.ts';

export const payout = {
  label: 'Versement',
  link: toPage('/payouts/payout'),
  isOfAccount: true,
  actions: {
    'payout.request': 'Versement demandé',
    'payout.approve': 'Versement approuvé',
    'payout.sign': 'Versement signé',
    'payout.pay': 'Versement payé',
    'payout.reopen': 'Versement remis en attente',
    'payout.take_back': 'Paiement annulé dans les 10 minutes',
    'payout.cancel': 'Versement annulé',
    'payout.return': 'Paiement rejeté',
    'payout.delete': 'Versement supprimé',
    'payout.download': 'Reçu téléchargé',
    'payout.reveal': 'Numéro de compte affiché (versement)',
    'payout.reject': 'Versement rejeté par la banque, de nouveau en attente',
    'payout.receipt': 'Reçu lu, avec le numéro de compte',
  },
  fields: {
    code: ['code', 'code du motif'],
    fee: ['eur', 'frais'],
    state: [names.payoutStates, 'état'],
    type: [names.payoutTypes, 'mode de paiement'],
    payoutId: ['#payout', 'versement'],
    billingAccountId: ['#billing_account', 'coordonnées de paiement'],
  },
  personal: { destination: ['code', 'destination'], reason: common.reason },
} as const satisfies Entity;

const erasedBeneficiary = `'{"type":"bank","owner":"supprimé","holderAddress":"","holderCity":"","holderCountry":"","holderPostcode":""}'::jsonb`;

export const payoutTables: Tables = {
  payouts: {
    record: {
      join: 'JOIN accounts a ON a.id = t.account_id',
      name: accountName('a'),
      isGone: 't.deleted_at IS NOT NULL',
      search: { accounts: ['t.account_id'] },
    },
    says: 'Versements',
    dated: 'coalesce(t.paid_at, t.created_at)',
    columns: `id account_id billing_account_id state amount_eur fee_eur batch_id exported_at downloaded_at paid_at
      cancelled_at created_at deleted_at returned_at paid_by cancelled_by created_by`,
    account: {
      beneficiary: {
        keep: 'accounting',
        put: `CASE WHEN t.exported_at IS NULL THEN NULL ELSE ${erasedBeneficiary} END`,
      },
      cancel_reason: clearAfterAccounting,
    },
  },
  bank_answers: {
    says: 'Réponses de la banque',
    columns: 'id report_id payout_id account_id verdict outcome code left_batch',
    account: {
      said: clearAfterAccounting,
      beneficiary: { keep: 'accounting', put: erasedBeneficiary },
    },
    secret: { destination: { keep: 'always', why: 'the hash says which answers are of one destination' } },
  },
  payout_moves: {
    says: 'Paiements des versements',
    columns: 'id payout_id account_id amount_eur at unsigned_eur is_new_destination signed_at admin_id',
    secret: { destination: { keep: 'always', why: 'the hash says which payments went to one destination' } },
  },
};
