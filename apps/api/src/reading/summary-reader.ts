import { foldName } from '@regie/values/search-text.ts';
import { type DecimalMark, DecimalSums, readCurrency, readDecimal } from './decimals.ts';
import { titleMonth } from './preamble.ts';
import type { PresetMatch } from './recognise.ts';
import { allCells, type FileRow } from './records.ts';
import { StatementRefusal } from './refusal.ts';
import { totalName } from './table-reader.ts';

/** One row of a store's summary, for one currency. Amounts are exact decimals as text. */
export interface DeclaredAmount {
  /** `YYYY-MM-01`. */
  month: string;
  currency: string;
  /** Before taxes and adjustments: equals the sum of the statements' lines. */
  earned: string;
  /** Half a unit of the last decimal of `earned`. */
  rounding: string;
  owed: string;
  /** Units of the bank's currency per unit; null without conversion. */
  bankRate: string | null;
  /** Both null when the amount is carried forward to a later payment. */
  bankCurrency: string | null;
  proceeds: string | null;
}

/** A summary has one row per country or region and month. */
const maxRows = 10_000;

type Columns = Record<'region' | 'earned' | 'owed' | 'proceeds' | 'bankCurrency' | 'count', number> & {
  rate: number | undefined;
};

const regionCurrency = /\(([A-Z]{3})\)$/;
/** A block's total, alone in its row: `82.68 EUR`. */
const blockSum = /^([-+]?\d[\d.,\s\u00a0\u202f]*?)\s?([A-Z]{3})$/;
const paidTo = /^paid to\s+(\S.*)$/i;
const maxBankName = 200;
const sumSlots = { block: 0, all: 1 };

/**
 * Each block has a header, and after it its payment and the name of the bank, each alone in its row.
 * @param choice `month` is the one staff entered, used when no title names one
 */
export function createSummaryReader(fit: PresetMatch, choice: { mark: DecimalMark; month: string | undefined }) {
  const regionNames = (fit.known.preset.columns.currency ?? []).map(foldName);
  const found: DeclaredAmount[] = [];
  const register = new DecimalSums(1);
  let columns: Columns | undefined;
  const banks = new Set<string>();
  let blockStart = 0;
  let month = fit.preamble.month ?? choice.month;

  function findColumns(row: FileRow): Columns | undefined {
    const folded = allCells(row).map(foldName);
    const region = folded.findIndex((name) => regionNames.includes(name));
    if (region < 0) return undefined;
    const at = (name: string) => {
      const index = folded.indexOf(foldName(name));
      if (index < 0) throw new StatementRefusal(`La colonne «\u00a0${name}\u00a0» manque dans cet en-tête`, row.line);
      return index;
    };
    const rate = folded.indexOf(foldName('Exchange Rate'));
    return {
      region,
      earned: at('Earned'),
      owed: at('Total Owed'),
      rate: rate < 0 ? undefined : rate,
      proceeds: at('Proceeds'),
      bankCurrency: at('Bank Account Currency'),
      count: folded.findLastIndex((name) => name !== '') + 1,
    };
  }

  function readExact(text: string, line: number): string {
    if (text === '' || !readDecimal(text, choice.mark) || readCurrency() !== '') {
      const problem = text === '' ? 'Un montant est vide' : `«\u00a0${text}\u00a0» n’est pas un montant`;
      throw new StatementRefusal(problem, line);
    }
    register.set(0);
    return register.text(0);
  }

  function takeRow(row: FileRow): void {
    const cells = allCells(row).map((cell) => cell.trim());
    const filled = cells.filter((cell) => cell !== '');
    if (filled.length === 0) return;
    const header = findColumns(row);
    if (header) {
      columns = header;
      blockStart = found.length;
      return;
    }
    const region = cells[columns?.region ?? 0] ?? '';
    const [, currency] = regionCurrency.exec(region) ?? [];
    if (!columns || currency === undefined) {
      if (filled.length === 1) month = titleMonth(filled) ?? month;
      const [, bank] = paidTo.exec(filled[0] ?? '') ?? [];
      if (bank !== undefined) banks.add(bank.slice(0, maxBankName).trim());
      if (!columns) return;
      const isTotal = totalName.test(foldName(region));
      if (filled.length === 1) requireSum(blockSum.exec(filled[0] ?? ''), row.line);
      else if (isTotal) requireSum(totalOf(cells, columns), row.line);
      if (filled.length === 1 || isTotal || bank !== undefined) return;
      throw new StatementRefusal(`«\u00a0${region.slice(0, 100)}\u00a0» ne nomme pas de devise`, row.line);
    }
    if (cells.length < columns.count) {
      throw new StatementRefusal(`Cette ligne a ${cells.length} colonnes, l’en-tête en a ${columns.count}`, row.line);
    }
    if (found.length === maxRows) throw new StatementRefusal(`Ce récapitulatif a plus de ${maxRows} lignes`, row.line);
    found.push(amountOf(cells, columns, currency, row.line));
  }

  /** The payment of a total row; undefined when it or its currency is missing. */
  function totalOf(cells: readonly string[], at: Columns): [string, string, string] | undefined {
    const proceeds = cells[at.proceeds] ?? '';
    const paid = new Set(found.slice(blockStart).flatMap(({ bankCurrency }) => bankCurrency ?? []));
    const written = cells[at.bankCurrency] ?? '';
    const [only, other] = paid;
    const currency = written === '' && other === undefined ? only : written;
    return proceeds === '' || currency === undefined || currency === '' ? undefined : ['', proceeds, currency];
  }

  /** @throws StatementRefusal for a total that equals neither its block's payments nor all of the file's */
  function requireSum(said: readonly string[] | null | undefined, line: number): void {
    if (!said) return;
    const [, amount = '', currency = ''] = said;
    const sums = new DecimalSums(2);
    for (const [index, { bankCurrency, proceeds }] of found.entries()) {
      if (bankCurrency !== currency || proceeds === null) continue;
      readDecimal(proceeds, '.');
      sums.add(sumSlots.all);
      if (index >= blockStart) sums.add(sumSlots.block);
    }
    const sum = readExact(amount, line);
    const block = sums.text(sumSlots.block);
    if (sum === block || sum === sums.text(sumSlots.all)) return;
    throw new StatementRefusal(`Le total est de ${amount} ${currency}, les montants versés font ${block}`, line);
  }

  function amountOf(cells: readonly string[], at: Columns, currency: string, line: number): DeclaredAmount {
    const cell = (index: number | undefined) => (index === undefined ? '' : (cells[index] ?? ''));
    if (month === undefined) throw new StatementRefusal('Rien ne dit de quel mois est ce montant', line);
    const earned = readExact(cell(at.earned), line);
    const amount = {
      month,
      currency,
      earned,
      rounding: roundingOf(cell(at.earned), choice.mark, currency),
      owed: readExact(cell(at.owed), line),
    };
    const rate = cell(at.rate);
    // A converted amount without a rate is not paid yet. Without conversion the column is missing.
    if (at.rate !== undefined && rate === '' && /^[-+0.,]*$/.test(cell(at.proceeds))) {
      return { ...amount, bankRate: null, bankCurrency: null, proceeds: null };
    }
    const bankRate = rate === '' ? null : readExact(rate, line);
    if (bankRate !== null && (bankRate.startsWith('-') || bankRate === '0')) {
      throw new StatementRefusal(`«\u00a0${rate}\u00a0» n’est pas un taux de change`, line);
    }
    const bankCurrency = cell(at.bankCurrency);
    if (!/^[A-Z]{3}$/.test(bankCurrency)) {
      throw new StatementRefusal(`«\u00a0${bankCurrency.slice(0, 100)}\u00a0» n’est pas une devise`, line);
    }
    return { ...amount, bankRate, bankCurrency, proceeds: readExact(cell(at.proceeds), line) };
  }

  return {
    take: takeRow,
    banks,
    /** @throws StatementRefusal for a file without amounts */
    end() {
      if (found.length === 0) throw new StatementRefusal('Ce récapitulatif ne contient aucun montant', fit.headerLine);
      return found;
    },
  };
}

/** Half a unit of the last decimal, or of the currency's smallest unit if that is less. */
function roundingOf(text: string, mark: DecimalMark, currency: string): string {
  const written = /\d*$/.exec(text.replace(/[^\d.,]/g, '').split(mark)[1] ?? '')?.[0].length ?? 0;
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions();
  return `0.${'0'.repeat(Math.max(written, maximumFractionDigits))}5`;
}
