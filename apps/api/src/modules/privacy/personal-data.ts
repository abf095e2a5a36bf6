/**
 * Every column of the database: whose personal data it holds, how it is exported and what erasure does. The test beside
 * it compares this table with the migrated database.
 */

/** Whose data a row can be exported and erased for. */
export type Subject = 'account' | 'admin';

/** How long something outlives an erasure: accounting records (L123-22 Code de commerce), proof of contracts (2224 Code civil). */
export type Term = 'accounting' | 'contracts';

/** What erasure does with a value. */
export type Erasure =
  /** Replaced by this SQL expression over the row `t`. */
  | { put: string }
  /** The same, once the legal term has passed. */
  | { keep: Term; put: string }
  /** Kept for good, with the reason. */
  | { keep: 'always'; why: string }
  /** The row is deleted. */
  | 'delete'
  /** The journal's values are redacted one by one (`journal-fields.ts`). */
  | 'redact'
  /** Derived from other columns: it follows them. */
  | 'follow'
  /** Deleted with its row by a nightly job, within the days named in the settings or in product §40. */
  | 'expire';

type Columns = Record<string, Erasure>;

interface TableData {
  /** SQL: when the legal term of what is kept begins; by default with the erasure. */
  dated?: string;
  /** What an export calls it. */
  says?: string;
  /** SQL conditions on the row `t`: the rows about the subject whose number is `$id`. */
  of?: Partial<Record<Subject, string>>;
  /** Not personal: ids, amounts, dates, states, and what describes a work. */
  none?: string;
  /** Numbers of admins who acted: exported with the journal, and kept, since the erased admin's row has no name. */
  actor?: string;
  account?: Columns;
  admin?: Columns;
  /** Artists, contributors and other people that customers and stores name; exported with the account. */
  third?: Columns;
  /** Credentials and hashes: never exported. */
  secret?: Columns;
  /** Where an export shows less than the column: SQL over `t`. */
  shown?: Partial<Record<Subject, Record<string, string>>>;
}

const clear = { put: 'NULL' };
const blank = { put: `''` };
const credit = { keep: 'always', why: 'credits of a published work belong to its authors' } as const;
const accounting = (put: string) => ({ keep: 'accounting', put }) as const;

const words = (text: string | undefined): string[] => text?.split(/\s+/).filter(Boolean) ?? [];
/** The same for each of these columns. */
const each = (how: Erasure, names: string): Columns => Object.fromEntries(words(names).map((name) => [name, how]));

const ofAccount = 't.account_id = $id';
const ofAdmin = 't.admin_id = $id';
const ofRelease = 't.release_id IN (SELECT r.id FROM releases r WHERE r.account_id = $id)';
const ofTrack = 't.track_id IN (SELECT k.id FROM tracks k WHERE k.account_id = $id)';
const ofSmartlink =
  't.smartlink_id IN (SELECT s.id FROM smartlinks s JOIN releases r ON r.id = s.release_id WHERE r.account_id = $id)';

/** The journal entries about an account: those of its own record and of everything it owns. Found by the journal's index. */
const journalOfAccount = `t.id IN (
  SELECT l.id FROM audit_log l JOIN (
    SELECT 'account' AS entity, $id::text AS id
    UNION ALL SELECT 'billing_account', b.id::text FROM billing_accounts b WHERE b.account_id = $id
    UNION ALL SELECT 'contract', c.id::text FROM custom_contracts c WHERE c.account_id = $id
    UNION ALL SELECT 'ticket', t.id::text FROM tickets t LEFT JOIN tracks k ON k.id = t.track_id WHERE $id IN (t.account_id, k.account_id)
    UNION ALL SELECT 'order', o.id::text FROM orders o WHERE o.account_id = $id
    UNION ALL SELECT 'payout', p.id::text FROM payouts p WHERE p.account_id = $id
    UNION ALL SELECT 'release', r.id::text FROM releases r WHERE r.account_id = $id
    UNION ALL SELECT 'track', k.id::text FROM tracks k WHERE k.account_id = $id
    UNION ALL SELECT 'referral', f.id::text FROM referrals f WHERE $id IN (f.referrer_id, f.referred_id)
  ) owned ON owned.entity = l.entity AND owned.id = l.entity_id
  UNION ALL SELECT l.id FROM audit_log l
   WHERE l.entity = 'mail' AND lower(l.after ->> 'to') IN (
     SELECT lower(a.email::text) FROM accounts a WHERE a.id = $id
     UNION SELECT lower(b.email::text) FROM billing_accounts b WHERE b.account_id = $id))`;

/** The entries about an admin, not those of what they did. */
export const journalAboutAdmin = `t.id IN (
  SELECT l.id FROM audit_log l WHERE l.entity = 'admin' AND l.entity_id = $id::text
  UNION ALL SELECT l.id FROM audit_log l JOIN admins a ON a.id = $id
   WHERE l.entity = 'invitation' AND lower(a.email::text) IN (lower(l.after ->> 'email'), lower(l.before ->> 'email'))
      OR l.entity = 'mail' AND lower(l.after ->> 'to') = lower(a.email::text)
      OR l.entity = 'billing_account' AND l.after ->> 'changedBy' = a.first_name || ' ' || a.last_name)`;
const onlyAboutAdmin = (column: string) => `CASE WHEN ${journalAboutAdmin} THEN t.${column} END`;

export const personalData: Record<string, TableData> = {
  accounts: {
    says: 'Compte : identité, adresse, pourcentages, note',
    of: { account: 't.id = $id' },
    none: 'id role state library_percentile youtube_percentile terms_version created_at updated_at erased_at',
    account: {
      first_name: { put: `'Compte'` },
      last_name: { put: `'supprimé n° ' || t.id` },
      ...each(clear, 'email company address address2 city postcode country vat_number timezone memo'),
      search: 'follow',
    },
  },
  account_terms: {
    says: 'Pourcentages successifs',
    of: { account: ofAccount },
    none: 'account_id version library_percentile youtube_percentile',
  },
  account_words: { none: 'account_id', account: { word: 'follow', last_name: 'follow' } },
  referrals: {
    says: 'Parrainages',
    of: { account: '(t.referrer_id = $id OR t.referred_id = $id)' },
    none: 'id referrer_id referred_id percentile created_version deleted_version created_at deleted_at',
  },
  billing_accounts: {
    says: 'Coordonnées bancaires et PayPal',
    of: { account: ofAccount },
    none: 'id account_id type created_at changed_at deleted_at',
    actor: 'changed_by',
    account: {
      email: { put: `CASE WHEN t.type = 'paypal' THEN '' END` },
      owner: { put: `'supprimé'` },
      ...each(blank, 'holder_address holder_city holder_country holder_postcode'),
      ...each(clear, 'holder_address2 bank_country bank_address bank_address2 bank_city bank_zip_code swift'),
      ...each({ put: `CASE WHEN t.type = 'bank' THEN '' END` }, 'bank_name iban'),
    },
  },
  custom_contracts: {
    says: 'Contrats (textes dans le dossier documents)',
    of: { account: ofAccount },
    none: 'id account_id kind created_at deleted_at',
    actor: 'created_by deleted_by',
    account: {
      title: { keep: 'contracts', put: `'Contrat supprimé'` },
      template: { keep: 'contracts', put: `'Contrat supprimé'` },
      field_values: { keep: 'contracts', put: `'{}'::jsonb` },
    },
  },

  orders: {
    says: 'Commandes et factures',
    dated: 'coalesce(t.issued_at, t.created_at)',
    of: { account: ofAccount },
    none: `id account_id release_id plan status currency plan_price label_fees express_price discount total vat_percent
      promo_code_id due_date invoice_year invoice_number issued_at paid_at created_at cancelled_at`,
    actor: 'created_by',
    account: {
      receipt_email: clear,
      ...each(accounting('NULL'), 'buyer payment_reference card_transaction_id payment_intent_id'),
    },
  },
  credit_notes: {
    says: 'Avoirs',
    dated: 't.issued_at',
    of: { account: 't.order_id IN (SELECT o.id FROM orders o WHERE o.account_id = $id)' },
    none: 'year number order_id invoice_year invoice_number invoice_issued_at issued_at',
    actor: 'created_by',
    account: { card_transaction_id: accounting('NULL'), payment_reference: accounting('NULL') },
  },
  stripe_events: {
    says: 'Messages du prestataire de paiement',
    of: { account: 't.order_id IN (SELECT o.id FROM orders o WHERE o.account_id = $id)' },
    none: 'id type order_id received_at',
  },
  invoice_counters: { none: 'year last_number' },
  credit_note_counters: { none: 'year last_number' },
  promo_codes: { none: 'id name description type percent due_date created_at deleted_at', actor: 'created_by' },

  payouts: {
    says: 'Versements',
    dated: 'coalesce(t.paid_at, t.created_at)',
    of: { account: ofAccount },
    none: `id account_id billing_account_id state amount_eur fee_eur batch_id exported_at downloaded_at paid_at
      cancelled_at created_at deleted_at returned_at`,
    actor: 'paid_by cancelled_by created_by',
    account: {
      beneficiary: accounting(`CASE WHEN t.exported_at IS NULL THEN NULL ELSE
        '{"type":"bank","owner":"supprimé","holderAddress":"","holderCity":"","holderCountry":"","holderPostcode":""}'::jsonb END`),
      cancel_reason: accounting('NULL'),
    },
  },
  payout_moves: {
    says: 'Paiements des versements',
    of: { account: ofAccount },
    none: 'id payout_id account_id amount_eur at unsigned_eur is_new_destination signed_at',
    actor: 'admin_id',
    secret: { destination: { keep: 'always', why: 'the hash says which payments went to one destination' } },
  },
  payout_batches: {
    none: 'id state message_id created_at exported_at paid_at debtor payouts_count total_eur voided_at',
    actor: 'created_by exported_by paid_by voided_by',
  },
  signatories: {
    says: 'Signataire : depuis quand',
    of: { admin: ofAdmin },
    none: 'id added_at removed_at',
    actor: 'admin_id added_by removed_by',
  },
  proposals: {
    says: 'Changements proposés',
    dated: 't.proposed_at',
    of: {
      account: `t.kind = 'adjustment' AND t.target = $id::text`,
      admin: `t.kind = 'access' AND t.target = $id::text`,
    },
    none: 'id kind target entry_id proposed_at ended_at is_done',
    actor: 'proposed_by ended_by',
    account: { value: accounting(`CASE WHEN t.kind = 'adjustment' THEN t.value - 'reason' ELSE t.value END`) },
  },
  signatures: {
    says: 'Signatures',
    of: { admin: ofAdmin },
    none: 'id subject subject_id version unsigned_eur at is_sole assertion_id withdrawn_at used_at',
    actor: 'admin_id',
  },
  signature_assertions: {
    says: 'Signatures par clé d’accès',
    of: { admin: ofAdmin },
    none: 'id at digest nonce origin relying_party',
    actor: 'admin_id',
    admin: each(
      { keep: 'always', why: 'ledger:verify checks the signature' },
      'credential_id public_key client_data authenticator_data signature',
    ),
  },
  signed_parts: {
    says: 'Ce que les signatures couvrent',
    of: { account: ofAccount },
    none: 'id account_id subject subject_id amount_eur at voided_at',
    secret: { destination: { keep: 'always', why: 'the hash says which destinations are signed' } },
  },

  ledger_transactions: {
    says: 'Écritures du grand livre',
    of: { account: ofAccount },
    none: 'id kind occurred_at import_id import_batch account_id reverses payout_id',
    actor: 'admin_id',
    account: { memo: { keep: 'always', why: 'a posting is never changed; the form asks for no name' } },
  },
  ledger_postings: {
    says: 'Mouvements du grand livre',
    of: { account: 't.account IN (SELECT b.account FROM ledger_balances b WHERE b.account_id = $id)' },
    none: 'transaction_id account currency amount occurred_at',
  },
  ledger_balances: {
    says: 'Solde',
    of: { account: ofAccount },
    none: 'account currency amount account_id platform_income youtube_income',
  },
  ledger_months: { none: 'month owed_eur paid_eur' },
  income_months: { none: 'type month credited_eur' },

  releases: {
    says: 'Sorties',
    of: { account: ofAccount },
    none: `id account_id title version status language genre subgenre original_release_date digital_release_date
      recording_year cover_file_id cover_year barcode catalog_number digital_genre digital_subgenre plan
      has_express_delivery territories platforms created_at updated_at deleted_at`,
    account: {
      label: blank,
      ...each(clear, 'digital_label note publisher_link recording_owner cover_owner'),
    },
    third: { artist_name: credit },
  },
  release_words: {
    none: 'status created_at release_id genre',
    account: { word: 'follow' },
  },
  tracks: {
    says: 'Titres',
    of: { account: ofAccount },
    none: `id release_id account_id position title version isrc language has_no_voice genre subgenre recording_year
      preview_start_seconds youtube_video_id audio_file_id created_at updated_at deleted_at search`,
    account: { recording_owner: clear },
  },
  track_words: { none: 'word title track_id' },
  track_credits: {
    says: 'Crédits des titres',
    of: { account: ofTrack },
    none: 'id track_id person_id kind role position',
  },
  people: {
    says: 'Personnes créditées sur les titres',
    of: {
      account:
        't.id IN (SELECT c.person_id FROM track_credits c JOIN tracks k ON k.id = c.track_id WHERE k.account_id = $id)',
    },
    none: 'id created_at is_artist',
    third: { full_name: credit, spotify_id: credit, apple_music_id: credit, search: 'follow' },
  },
  people_words: { none: 'list person_id', third: { word: 'follow', full_name: 'follow' } },
  title_keys: { none: 'scope key record_id exact' },
  duplicate_groups: { none: 'scope key is_similar size rank of_account of_artist' },
  files: {
    says: 'Pochettes et fichiers audio : nom, taille, empreinte',
    of: {
      account: `(t.id IN (SELECT r.cover_file_id FROM releases r WHERE r.account_id = $id)
        OR t.id IN (SELECT k.audio_file_id FROM tracks k WHERE k.account_id = $id))`,
    },
    none: `id kind content_type size_bytes sha256 width height duration_ms sample_rate_hz bit_depth channels peaks created_at
      binned_at peak_amplitude clipped_runs is_clipped is_silent`,
    actor: 'created_by',
    account: { original_name: { put: `'fichier'` } },
    secret: { storage_key: { keep: 'always', why: 'a random name' } },
  },
  uploads: {
    says: 'Envois de fichiers en cours',
    of: { account: ofTrack },
    none: 'id kind track_id replaces size_bytes received started_at touched_at',
    actor: 'admin_id',
    account: { file_name: 'delete' },
    secret: { spool_name: 'delete' },
  },
  upload_parts: {
    none: 'upload_id starts storage_key',
  },

  reports: {
    says: 'Rapports de revenus',
    of: { account: ofAccount },
    none: `id type month import_id track_id account_id num_streams income_streams_usd num_downloads income_downloads_usd
      num_youtube income_youtube_usd gross_usd percentile gross_eur account_eur referrals_eur platform_eur created_at
      reversed_at`,
  },
  report_referral_shares: {
    says: 'Revenus de parrainage',
    of: { account: 't.referrer_id = $id' },
    none: 'report_id referral_id referrer_id percentile amount_eur',
  },
  imports: {
    none: `id kind type month to_date file_key file_name rate terms_version batches batches_expected rows saved unsaved
      reports gross_usd gross_eur accounts_eur referrals_eur platform_eur created_at reversed_at deleted_usd posted_at`,
    actor: 'created_by reversed_by',
  },
  import_rates: { none: 'import_id currency rate' },
  import_batches: {
    none: 'import_id batch body_hash first_row rows saved gross_usd accounts_eur created_at row_hashes',
    actor: 'staged_by',
  },
  import_staged_rows: {
    none: 'import_id batch row isrc streams income_streams downloads income_downloads youtube income_youtube',
  },
  import_unsaved_rows: { none: 'import_id batch row isrc reason given' },
  exchange_rates: { none: 'month currency rate updated_at', actor: 'updated_by' },

  statement_presets: { none: 'id definition created_at removed_at verified_at', actor: 'created_by' },
  statements: {
    none: `id status file_name size_bytes sha256 file_id preset source findings rows counted_rows lines accounting_month
      declared_amount declared_currency replaces created_at loaded_at checked_at ended_at check_note choices attempts
      unpacked_from confirmed_rates`,
    actor: 'created_by checked_by ended_by',
  },
  statement_line_offsets: { none: 'statement_id line byte_offset' },
  // The lines in these files name a recording, by its ISRC or a digest, and no person.
  statement_line_files: { none: 'statement_id month file_id lines' },
  statement_sums: {
    none: 'statement_id month item kind currency quantity amount rows track_id import_id',
  },
  statement_months: {
    none: 'statement_id month currency amount unmatched_amount posted_amount sums unmatched_sums posted_sums',
  },
  statement_rollups: { none: 'statement_id dimension value month kind currency quantity amount rows' },
  statement_postings: { none: 'statement_id month currency import_id amount sums' },
  declared_amounts: {
    none: 'statement_id source month currency earned rounding owed bank_rate bank_currency proceeds',
  },
  statement_duplicates: { none: 'statement_id other_id month currency rows amount first_line is_confirmed' },
  income_items: {
    says: 'Titres reconnus dans les relevés',
    of: { account: `(t.alias_track_id IN (SELECT k.id FROM tracks k WHERE k.account_id = $id) OR ${ofTrack})` },
    none: 'key isrc upc title alias_track_id alias_at track_id unmatched id',
    actor: 'alias_by',
    third: { artist: credit },
  },
  unmatched_totals: { none: 'source month item_id sums eur' },
  unmatched_counts: { none: 'source month items' },
  insight_sums: {
    none: `id dimension value span starts streams downloads videos streams_eur downloads_eur videos_eur quantity
      amount_eur`,
  },
  insight_marks: { none: 'id month' },
  track_differences: { none: 'source month without found' },

  smartlinks: {
    says: 'Smartlinks',
    of: { account: ofRelease },
    none: 'id release_id slug status created_at updated_at clicks',
    actor: 'created_by',
  },
  smartlink_urls: { says: 'Adresses des smartlinks', of: { account: ofSmartlink }, none: 'smartlink_id platform url' },
  smartlink_clicks: {
    says: 'Clics des smartlinks, par jour',
    of: { account: ofSmartlink },
    none: 'smartlink_id day platform clicks',
  },
  tickets: {
    says: 'Tickets',
    of: { account: `(${ofAccount} OR ${ofTrack})` },
    none: `id status start_seconds end_seconds is_claimed is_protected account_id track_id created_at updated_at`,
    actor: 'created_by',
    account: {
      title: { put: `'Ticket supprimé'` },
      url: { put: `'https://supprime.invalid'` },
      note: blank,
      search: 'follow',
    },
  },
  code_edits: {
    none: 'id kind source key file_name saved unsaved created_at reversed_at reversed',
    actor: 'created_by reversed_by',
  },
  code_edit_changes: { none: 'edit_id position track_id release_id before after' },
  isrc_counters: { none: 'prefix year last_number' },

  admins: {
    says: 'Administrateur : identité, adresse e-mail',
    of: { admin: 't.id = $id' },
    none: 'id created_at deleted_at erased_at is_from_provider',
    actor: 'created_by',
    admin: {
      first_name: { put: `'administrateur'` },
      last_name: { put: `'supprimé n° ' || t.id` },
      email: { put: `'administrateur-' || t.id || '@supprime.invalid'` },
    },
    secret: { password_hash: clear },
  },
  admin_capabilities: { says: 'Droits', of: { admin: ofAdmin }, none: 'capability', actor: 'admin_id' },
  sessions: {
    says: 'Sessions ouvertes : appareil, adresse',
    of: { admin: ofAdmin },
    none: `id created_at last_seen_at factor_at own_factor_at is_from_provider has_provider_factor provider_confirmed_at`,
    actor: 'admin_id',
    admin: { device: 'delete', address: 'delete' },
    secret: { token_hash: 'delete' },
  },
  password_resets: {
    says: 'Demandes de nouveau mot de passe',
    of: { admin: ofAdmin },
    none: 'expires_at used_at created_at',
    actor: 'admin_id',
    secret: { token_hash: 'delete' },
  },
  invitations: {
    says: 'Invitation',
    of: { admin: '(t.used_by = $id OR t.email = (SELECT a.email FROM admins a WHERE a.id = $id))' },
    none: 'id capabilities expires_at used_at withdrawn_at created_at delivery_failed_at',
    actor: 'invited_by used_by',
    admin: { email: 'delete' },
    secret: { token_hash: 'delete' },
  },
  second_factors: {
    says: 'Seconds facteurs',
    of: { admin: ofAdmin },
    none: 'id kind last_step sign_count transports created_at last_used_at removed_at',
    actor: 'admin_id',
    admin: { name: 'delete', credential_id: 'delete', public_key: 'delete' },
    secret: { totp_secret: 'delete' },
  },
  recovery_codes: {
    says: 'Codes de secours : dates',
    of: { admin: ofAdmin },
    none: 'created_at used_at',
    actor: 'admin_id',
    secret: { code_hash: 'delete' },
  },
  auth_challenges: {
    says: 'Étapes de connexion en cours',
    of: { admin: ofAdmin },
    none: 'purpose expires_at',
    actor: 'admin_id',
    secret: { token_hash: 'delete', challenge: 'delete', totp_secret: 'delete' },
  },
  admin_identities: {
    says: 'Identité au service de connexion',
    of: { admin: ofAdmin },
    none: 'linked_at',
    actor: 'admin_id',
    admin: { issuer: 'delete', subject: 'delete' },
  },
  saved_views: {
    says: 'Vues enregistrées',
    of: { admin: ofAdmin },
    none: 'id list created_at',
    actor: 'admin_id',
    admin: { name: 'delete', search: 'delete' },
  },
  sidebars: {
    says: 'Menu',
    of: { admin: ofAdmin },
    actor: 'admin_id',
    admin: { favourites: 'delete', folded: 'delete' },
  },
  idempotency_keys: {
    says: 'Appels récents',
    of: { admin: ofAdmin },
    none: 'scope created_at',
    actor: 'admin_id',
    // Answers to this admin's calls: they may hold any record's data, for seven days.
    secret: { key: 'delete', body_hash: 'delete', response: 'expire' },
  },
  rate_limits: { none: 'key points expire' },
  settings: { none: 'key value updated_at', actor: 'updated_by' },

  audit_log: {
    says: 'Journal',
    of: { account: journalOfAccount, admin: `(t.admin_id = $id OR ${journalAboutAdmin})` },
    none: 'id at action entity entity_id request_id fields',
    actor: 'admin_id',
    account: { before: 'redact', after: 'redact' },
    admin: { address: 'redact', agent: 'redact' },
    secret: {
      search: 'follow',
      salt: { keep: 'always', why: 'a random number' },
      digest: { keep: 'always', why: 'salted; the salt is replaced when the entry is redacted' },
    },
    // What an admin did to customers is not the admin's own data.
    shown: { admin: { before: onlyAboutAdmin('before'), after: onlyAboutAdmin('after') } },
  },
  journal_redactions: { none: 'id entry_id at content_hash' },
  backups: { none: 'id name ended_at size_bytes is_encrypted error' },
  chain_links: { none: 'seq source row_id hash sealed_at' },
  chain_marks: { none: 'source sealed_below' },
  migrations: { none: 'name hash applied_at' },
};

/** Every classified column, once per class it stands in. */
export const columnsOf = ({ none, actor, account, admin, third, secret }: TableData): string[] => [
  ...words(none),
  ...words(actor),
  ...[account, admin, third, secret].flatMap((columns) => Object.keys(columns ?? {})),
];

/** The columns that an export for this subject shows, with their SQL. */
export function exportedColumns(table: TableData, subject: Subject): { name: string; expression: string }[] {
  const personal = subject === 'account' ? { ...table.account, ...table.third } : table.admin;
  const names = [
    ...words(table.none),
    // Which colleague did something for a customer is the colleague's data.
    ...(subject === 'admin' ? words(table.actor) : []),
    ...Object.entries(personal ?? {}).flatMap(([name, how]) => (how === 'follow' ? [] : [name])),
    ...Object.keys(table.shown?.[subject] ?? {}),
  ];
  return names.map((name) => ({ name, expression: table.shown?.[subject]?.[name] ?? `t.${name}` }));
}

/** What the erasure of this subject does to a table's columns. */
export const erasuresOf = (table: TableData, subject: Subject): [string, Erasure][] =>
  Object.entries({ ...table[subject], ...(table.of?.[subject] ? table.secret : {}) });
