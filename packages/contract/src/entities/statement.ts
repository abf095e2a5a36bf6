import { type Entity, type Tables, toPage } from '#src/entity.ts';
import { fieldNames } from '#src/field-names.ts';
import * as names from '#src/state-names.ts';

export const statement = {
  label: 'Relevé',
  link: toPage('/reporting/statements'),
  actions: {
    'statement.upload': 'Relevé déposé',
    'statement.edit': 'Relevé modifié',
    'statement.read_with': 'Relevé lu avec un autre modèle',
    'statement.check': 'Relevé validé',
    'statement.uncheck': 'Validation du relevé annulée',
    'statement.replace': 'Relevé remplacé',
    'statement.remove': 'Relevé retiré',
  },
  fields: {
    status: [names.statementStatuses, 'état'],
    fileName: ['text', 'fichier'],
    source: ['text', fieldNames.source],
    preset: ['preset', fieldNames.preset],
    replaces: ['#statement', 'relevé corrigé'],
    by: ['#statement', 'remplacé par'],
    accountingMonth: ['month', 'mois comptable'],
    declaredAmount: ['money', fieldNames.declaredAmount],
    declaredCurrency: ['code', fieldNames.declaredCurrency],
    difference: ['money', 'écart'],
    announced: ['text', 'totaux annoncés par le fichier'],
    duplicateOf: ['#statement', 'lignes identiques dans'],
    duplicateOfImport: ['#import', 'chiffres identiques dans'],
    duplicateLines: ['number', 'lignes identiques'],
    duplicateEur: ['eurSum', 'montant des lignes identiques'],
    confirmedRates: ['oldRate', 'taux confirmés'],
    declarations: ['declaration', 'écarts avec le récapitulatif'],
    charset: ['code', 'jeu de caractères'],
    decimalMark: ['code', fieldNames.decimalMark],
    sheets: ['text', 'feuilles'],
    member: ['text', 'fichier de l’archive'],
  },
} as const satisfies Entity;

export const statementTables: Tables = {
  statements: {
    record: { name: 't.file_name' },
    columns: `id status file_name size_bytes sha256 file_id preset source findings rows counted_rows lines
      accounting_month declared_amount declared_currency replaces created_at loaded_at checked_at ended_at
      check_note choices attempts unpacked_from confirmed_rates confirmed_imports created_by checked_by ended_by`,
  },
  statement_line_offsets: { columns: 'statement_id line byte_offset' },
  // The lines in these files name a recording, by its ISRC or a digest, and no person.
  statement_line_files: { columns: 'statement_id month file_id lines' },
  statement_sums: { columns: 'statement_id month item kind currency quantity amount rows track_id import_id' },
  statement_months: {
    columns: 'statement_id month currency amount unmatched_amount posted_amount sums unmatched_sums posted_sums',
  },
  statement_rollups: { columns: 'statement_id dimension value month kind currency quantity amount rows' },
  statement_postings: { columns: 'statement_id month currency import_id amount sums' },
  declared_amounts: {
    columns: 'statement_id source month currency earned rounding owed bank_rate bank_currency proceeds',
  },
  statement_duplicates: { columns: 'statement_id other_id month currency rows amount first_line is_confirmed' },
};
