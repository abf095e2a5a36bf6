import { accountName, clear, type Entity, type Tables, toPage } from '#src/entity.ts';
import { fieldNames } from '#src/field-names.ts';
import * as names from '#src/state-names.ts';
import { common } from './common.ts';

export const account = {
  label: 'Compte',
  link: toPage('/accounts/profiles'),
  isOfAccount: true,
  actions: {
    'account.import_releases': 'Sorties importées',
    'account.create': 'Compte créé',
    'account.edit': 'Compte modifié',
    'account.export': 'Données du compte exportées',
    'account.erase': 'Données du compte supprimées',
    'account.adjust': 'Solde régularisé',
    'account.propose_adjustment': 'Régularisation proposée',
    'account.sign_adjustment': 'Régularisation signée',
    'account.withdraw_adjustment': 'Régularisation abandonnée',
  },
  fields: {
    id: ['#account', 'compte'],
    state: [names.accountStates, 'état'],
    role: [names.accountRoles, fieldNames.role],
    libraryIncomePercentile: ['percent', 'part du catalogue'],
    youtubeChannelIncomePercentile: ['percent', 'part des plateformes vidéo'],
    vatRegime: [names.vatRegimes, fieldNames.vatRegime],
    statementPeriod: [names.statementPeriods, fieldNames.statementPeriod],
    income: ['eur', 'solde'],
    releases: ['number', 'nombre de sorties'],
  },
  personal: {
    fname: common.fname,
    lname: common.lname,
    email: common.email,
    company: ['text', 'société'],
    address: common.address,
    address2: ['text', 'complément d’adresse'],
    city: ['text', fieldNames.city],
    postcode: ['code', fieldNames.postcode],
    country: ['text', fieldNames.country],
    tax: ['code', 'numéro de TVA'],
    siren: ['code', fieldNames.siren],
    electronicAddress: ['code', fieldNames.electronicAddress],
    timezone: ['text', 'fuseau horaire'],
    memo: ['prose', 'mémo'],
    reason: common.reason,
  },
} as const satisfies Entity;

export const accountTables: Tables = {
  accounts: {
    record: { name: accountName('t'), search: 't.search' },
    says: 'Compte : identité, adresse, pourcentages, note',
    of: { account: 't.id = $id' },
    columns:
      'id role state vat_regime statement_period library_percentile youtube_percentile terms_version created_at updated_at erased_at',
    account: {
      first_name: { put: `'Compte'` },
      last_name: { put: `'supprimé n° ' || t.id` },
      'email company address address2 city postcode country vat_number siren electronic_address timezone memo': clear,
      search: 'follow',
    },
  },
  account_terms: {
    says: 'Pourcentages successifs',
    columns: 'account_id version library_percentile youtube_percentile',
  },
  account_words: { columns: 'account_id', account: { word: 'follow', last_name: 'follow' } },
  ledger_transactions: {
    says: 'Écritures du grand livre',
    columns: 'id kind occurred_at import_id import_batch account_id reverses payout_id admin_id',
    account: { memo: { keep: 'always', why: 'a posting is never changed; the form asks for no name' } },
  },
  ledger_postings: {
    says: 'Mouvements du grand livre',
    of: { account: 't.account IN (SELECT b.account FROM ledger_balances b WHERE b.account_id = $id)' },
    columns: 'transaction_id account currency amount occurred_at',
  },
  ledger_balances: { says: 'Solde', columns: 'account currency amount account_id platform_income youtube_income' },
  proposals: {
    says: 'Changements proposés',
    dated: 't.proposed_at',
    of: {
      account: `t.kind = 'adjustment' AND t.target = $id::text`,
      admin: `t.kind = 'access' AND t.target = $id::text`,
    },
    columns: 'id kind target entry_id proposed_at ended_at is_done proposed_by ended_by',
    account: {
      value: { keep: 'accounting', put: `CASE WHEN t.kind = 'adjustment' THEN t.value - 'reason' ELSE t.value END` },
    },
  },
};
