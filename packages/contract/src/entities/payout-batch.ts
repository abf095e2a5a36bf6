import { outcomes, verdicts } from '#src/bank-answers.ts';
import { type Entity, labelsOf, type Tables, toPage } from '#src/entity.ts';
import { preflightProblems } from '#src/payouts.ts';
import * as names from '#src/state-names.ts';

export const payoutBatch = {
  label: 'Lot',
  link: toPage('/payouts/batches'),
  isOfAccount: true,
  actions: {
    'payout_batch.create': 'Lot de versements créé',
    'payout_batch.shrink': 'Versement retiré du lot',
    'payout_batch.rejoin': 'Versement remis dans le lot',
    'payout_batch.approve': 'Lot de versements approuvé',
    'payout_batch.sign': 'Lot de versements signé',
    'payout_batch.export': 'Lot de versements exporté',
    'payout_batch.download': 'Fichier du lot téléchargé, avec les numéros de compte',
    'payout_batch.pay': 'Lot de versements payé',
    'payout_batch.void': 'Lot de versements abandonné',
    'payout_batch.answer': 'Réponse de la banque enregistrée',
    'payout_batch.propose_abandon': 'Abandon d’un lot exporté, dont rien n’a été exécuté',
    'payout_batch.return': 'Versements rejetés remis en attente, hors du lot exporté',
    'payout_batch.propose_return': 'Remise en attente des versements d’un lot exporté, rejetés par la banque',
    'payout_batch.propose_pay': 'Paiement d’un lot malgré des titulaires non reconnus par la banque',
  },
  fields: {
    state: [names.batchStates, 'état'],
    'payout_batch.download:file': [names.batchFiles, 'fichier'],
    payouts: ['number', 'versements'],
    count: ['number', 'nombre de versements'],
    signed: ['number', 'versements signés'],
    unsigned: ['number', 'versements sans signature'],
    messageId: ['code', 'référence du fichier'],
    report: ['code', 'référence du compte rendu'],
    payoutId: ['#payout', 'versement'],
    verdict: [verdicts, 'titulaire'],
    outcome: [outcomes, 'exécution'],
    code: ['code', 'code du motif'],
    rejected: ['number', 'paiements rejetés'],
    doubtful: ['number', 'titulaires non reconnus'],
    returned: ['number', 'versements rejetés, de nouveau en attente'],
    answers: ['number', 'paiements répondus'],
    problems: [
      { ...labelsOf(preflightProblems), never_paid: 'Jamais payé vers cette destination' },
      'alertes confirmées',
    ],
  },
} as const satisfies Entity;

export const payoutBatchTables: Tables = {
  payout_batches: {
    record: { name: 't.message_id', ofAccount: 't.id IN (SELECT p.batch_id FROM payouts p WHERE p.account_id = $id)' },
    columns: `id state message_id created_at exported_at paid_at debtor payouts_count total_eur voided_at created_by
      exported_by paid_by voided_by`,
  },
  bank_reports: { says: 'Comptes rendus de la banque', columns: 'id batch_id message_id status sha256 at admin_id' },
};
