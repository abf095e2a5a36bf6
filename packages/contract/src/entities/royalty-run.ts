import { type Entity, type Tables, toPage } from '#src/entity.ts';

export const royaltyRun = {
  label: 'Relevés clients',
  link: toPage('/accounts/statements-out'),
  actions: {
    'royalty_run.publish': 'Publication de relevés clients lancée',
    'royalty_run.retry': 'Publication de relevés clients relancée',
    'royalty_run.send': 'Envoi de relevés clients demandé',
    'royalty_run.send_one': 'Envoi d’un relevé client demandé',
    'royalty_run.revoke_link': 'Lien d’un relevé client révoqué',
  },
  fields: {
    month: ['month', 'dernier mois'],
    account: ['#account', 'compte'],
    letters: ['number', 'e-mails'],
    undelivered: ['number', 'non remis'],
  },
} as const satisfies Entity;

export const royaltyRunTables: Tables = {
  royalty_runs: { columns: 'id month created_at created_by failed_at published_at through_id lines file_id' },
  royalty_statements: {
    says: 'Relevés clients',
    columns: 'id run_id account_id number from_month opening_eur closing_eur income_eur lines sha256',
    account: { record: { keep: 'accounting', put: `'{}'::jsonb` } },
  },
  royalty_letters: {
    says: 'Envois de relevés clients',
    of: { account: 't.statement_id IN (SELECT s.id FROM royalty_statements s WHERE s.account_id = $id)' },
    columns: 'statement_id queued_at queued_by tried_at sent_at failure reply link expires_at revoked_at',
    account: { email: 'delete' },
  },
};
