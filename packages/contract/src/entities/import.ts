import { type Entity, type Tables, toPage } from '#src/entity.ts';

export const imports = {
  label: 'Import',
  link: toPage('/reporting/import'),
  isNumbered: true,
  actions: {
    'import.batch': 'Lignes importées',
    'import.post': 'Import comptabilisé',
    'import.discard': 'Envoi incomplet supprimé',
    'import.reverse': 'Import contre-passé',
    'import.automatic': 'Mois comptabilisé',
    'import.sign': 'Import signé',
  },
  fields: {
    batch: ['index', 'envoi'],
    batches: ['number', 'envois'],
    batchesExpected: ['number', 'envois attendus'],
    dropped: ['number', 'lignes sans titre depuis leur envoi'],
    saved: ['number', 'lignes enregistrées'],
    reports: ['number', 'rapports'],
    sums: ['number', 'sommes de relevés'],
    grossUsd: ['usdSum', 'revenus bruts'],
    accountEur: ['eurSum', 'part du compte'],
    accountsEur: ['eurSum', 'part des comptes'],
    referralsEur: ['eurSum', 'part des parrains'],
    statements: ['#statement', 'relevés'],
  },
} as const satisfies Entity;

export const importsTables: Tables = {
  imports: {
    record: { name: 't.file_name' },
    columns: `id kind type month to_date file_key file_name rate terms_version batches batches_expected rows saved
      unsaved reports gross_usd gross_eur accounts_eur referrals_eur platform_eur created_at reversed_at
      deleted_usd posted_at created_by reversed_by`,
  },
  import_rates: { columns: 'import_id currency rate' },
  import_batches: {
    columns: 'import_id batch body_hash first_row rows saved gross_usd accounts_eur created_at row_hashes staged_by',
  },
  import_staged_rows: {
    columns: 'import_id batch row isrc streams income_streams downloads income_downloads youtube income_youtube',
  },
  import_unsaved_rows: { columns: 'import_id batch row isrc reason given' },
};
