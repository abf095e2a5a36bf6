import type { valueFields } from '@regie/contract/imports.ts';
import { fr } from '#src/lib/fr.ts';
import { columnKey } from '#src/lib/tables/reading.ts';
import { TableRefusal } from '#src/lib/tables/refusal.ts';
import { frReports } from './reports.fr.ts';

export type ValueField = (typeof valueFields)[number];
export type ReportField = 'isrc' | ValueField;

export const isCountField = (field: ValueField) => field.startsWith('num');

const counts = ['', 'nb', 'nbre', 'nombre', 'numof', 'quantite', 'quantites'];
const incomes = ['incomeof', 'income', 'revenu', 'revenus', 'montant', 'montants'];

const aliases = new Map<string, ReportField>();
for (const name of ['isrc', 'codeisrc', 'isrccode', 'codesisrc']) aliases.set(name, 'isrc');

function addAliases(count: ValueField, income: ValueField, nouns: string[]) {
  for (const noun of nouns) {
    for (const prefix of counts)
      for (const link of ['', 'de', 'des', 'd']) aliases.set(`${prefix}${prefix && link}${noun}`, count);
    for (const prefix of incomes)
      for (const link of ['', 'de', 'des', 'd', 'du'])
        for (const unit of ['', 'usd', 'enusd', 'dollars', 'endollars'])
          aliases.set(`${prefix}${link}${noun}${unit}`, income);
    aliases.set(`${noun}income`, income);
    aliases.set(`${noun}incomeusd`, income);
  }
}
addAliases('numOfStreams', 'incomeOfStreams', ['streams', 'stream', 'streaming', 'ecoutes', 'ecoute']);
addAliases('numOfDownloads', 'incomeOfDownloads', ['downloads', 'download', 'telechargements', 'telechargement']);
addAliases('numOfYoutube', 'incomeOfYoutube', [
  'youtube',
  'vues',
  'vue',
  'vuesyoutube',
  'video',
  'videos',
  'vuesvideo',
]);

export interface Columns {
  /** The field of each column. */
  fields: (ReportField | undefined)[];
  /** Ignored columns, by their original names. */
  ignored: string[];
}

export function findField(name: string): ReportField | undefined {
  return aliases.get(columnKey(name));
}

/**
 * Parses the header row by names, never by position.
 * @throws TableRefusal when `isrc` is missing, a field is duplicated, or no amount or count is recognised
 */
export function readHeader(header: readonly string[]): Columns {
  const fields = header.map(findField);
  const seen = new Map<ReportField, string>();
  for (const [index, field] of fields.entries()) {
    if (!field) continue;
    const name = header[index] ?? '';
    const earlier = seen.get(field);
    if (earlier !== undefined) throw new TableRefusal(fr.tables.doubledColumn(earlier.trim(), name.trim()));
    seen.set(field, name);
  }
  if (!seen.has('isrc')) throw new TableRefusal(frReports.csv.noIsrcColumn);
  if (seen.size === 1) throw new TableRefusal(frReports.csv.noValueColumn);
  return {
    fields,
    ignored: header.map((name) => name.trim()).filter((name, index) => name !== '' && fields[index] === undefined),
  };
}
