import { accountName, type Entity, type Tables, toPage } from '#src/entity.ts';

export const report = {
  label: 'Rapport',
  link: toPage('/reporting/report'),
  isNumbered: true,
  actions: { 'report.create': 'Rapport créé', 'report.delete': 'Rapport supprimé' },
} as const satisfies Entity;

export const reportTables: Tables = {
  reports: {
    record: {
      join: 'JOIN accounts a ON a.id = t.account_id',
      name: `coalesce((SELECT k.title FROM tracks k WHERE k.id = t.track_id), ${accountName('a')})`,
      isGone: 't.reversed_at IS NOT NULL',
      search: false,
    },
    says: 'Rapports de revenus',
    columns: `id type month import_id track_id account_id num_streams income_streams_usd num_downloads
      income_downloads_usd num_youtube income_youtube_usd gross_usd percentile gross_eur account_eur
      referrals_eur platform_eur created_at reversed_at`,
  },
  report_referral_shares: {
    says: 'Revenus de parrainage',
    of: { account: 't.referrer_id = $id' },
    columns: 'report_id referral_id referrer_id percentile amount_eur',
  },
};
