import type { StatementField, StatementPreset } from '@regie/contract/statements.ts';
import { headRows, type KnownPreset, type PresetMatch, type Recognition, rankMismatches } from './recognise.ts';
import { type FileRow, RecordScanner } from './records.ts';
import { StatementRefusal } from './refusal.ts';
import { LineSummer } from './summing.ts';
import { MadeRow, type ReadingChoice, type StatementReader, skipReasons } from './table-reader.ts';

/**
 * DDEX DSR flat files: the first cell of a row is its type. A sales row refers to its summary (currency and territory)
 * and to the resource of its block (ISRC). A preset's columns are `TYPE.Name`; the type of its amount column is that of
 * the sales.
 */
const headTypes = new Set(['HEAD', 'SRHE', 'FHEA']);
const footTypes = new Set(['FOOT', 'SRFO', 'FFOO']);
const maxSummaries = 100_000;

/** Column names of the standard, when the file's comment lines do not name them. */
const standard: Record<string, string> = {
  HEAD: 'MessageVersion Profile ProfileVersion MessageId MessageCreatedDateTime FileNumber NumberOfFiles UsageStartDate UsageEndDate SenderPartyId SenderName ServiceDescription RecipientPartyId RecipientName RepresentedRepertoire',
  SY10: 'SummaryRecordId DistributionChannelName DistributionChannelDPID CommercialModel UseType ReportingPeriodStartDate ReportingPeriodEndDate SubscriberType Subscribers ActiveSubscribers PromotionalActivity Territory ServiceDescription OfferType Quality Usages AllocatedUsages Returns MusicUsageRatio CurrencyOfTransaction CurrencyOfAccounting ExchangeRate',
  SR08: 'SalesTransactionId ReleaseGRid ReleaseICPN DspReleaseId LabelReleaseId ProprietaryReleaseId ReleaseContextReleaseGRid ReleaseType ReleaseTitle ReleaseSubTitle ReleaseDisplayArtistName ReleaseDisplayArtistPartyId ResourceISRC ResourceISAN DspResourceId LabelResourceId ProprietaryResourceId ResourceContextReleaseGRid ResourceType ResourceTitle ResourceSubTitle ResourceDisplayArtistName ResourceDisplayArtistPartyId SummaryRecordId SalesTransactionDate TotalUsages Returns NetUsage WholesalePriceInCurrencyOfTransaction WholesalePriceInCurrencyOfAccounting SuggestedConsumerPriceInCurrencyOfTransaction SuggestedConsumerPriceInCurrencyOfAccounting PriceType PriceRangeType PriceConsumerPaidExcSalesTaxInCurrencyOfTransaction PriceConsumerPaidExcSalesTaxInCurrencyOfAccounting DeductionType DeductionsInCurrencyOfTransaction DeductionsInCurrencyOfAccounting RightSharePercentage CalculatedUnitPriceInCurrencyOfTransaction CalculatedUnitPriceInCurrencyOfAccounting AllocatedRevenueInCurrencyOfTransaction AllocatedRevenueInCurrencyOfAccounting AllocatedNetRevenueInCurrencyOfTransaction AllocatedNetRevenueInCurrencyOfAccounting CopyrightObligationWithDSP',
  SY02: 'SummaryRecordId DistributionChannel DistributionChannelDPID CommercialModel UseType Territory ServiceDescription Usages Users CurrencyOfReporting NetRevenue',
  AS01: 'BlockId ResourceReference DspResourceId ISRC Title SubTitle DisplayArtistName DisplayArtistPartyId Duration ResourceType',
  SU03: 'BlockId SalesTransactionId SummaryRecordId DspReleaseId Usages NetRevenue ValidityPeriodStart ValidityPeriodEnd',
  SRFO: 'NumberOfLinesInReport NumberOfSummaryRecords',
  FOOT: 'NumberOfLinesInFile NumberOfLinesInReport NumberOfSummaryRecords NumberOfBlocksInFile NumberOfBlocksInReport',
};
const standardNames = (type: string) => (standard[type === 'SRHE' ? 'HEAD' : type] ?? '').split(' ');

/** `SY02.01` is version 1 of SY02. */
const typeOf = (cell: string) => cell.trim().replace(/\..*$/, '');
const unescaped = (text: string) => (text.includes('\\') ? text.replace(/\\(.)/g, '$1') : text);

/** Whether a text is a DDEX flat file: its first row that is not a comment is a head. */
export function isDsr(head: string): boolean {
  const rows = headRows(head.replace(/^\ufeff/, ''), '\t');
  const first = rows.find(({ cells }) => cells[0]?.startsWith('#') !== true);
  return first !== undefined && first.cells.length > 1 && headTypes.has(typeOf(first.cells[0] ?? ''));
}

const salesType = (preset: StatementPreset) => preset.columns.amount?.[0]?.split('.', 1)[0] ?? '';

/** The preset for this flat file, by its type of sales rows. */
export function recogniseDsr(head: string, presets: readonly KnownPreset[]): Recognition {
  const rows = headRows(head.replace(/^\ufeff/, ''), '\t', Number.POSITIVE_INFINITY);
  const types = new Set(rows.map(({ cells }) => typeOf((cells[0] ?? '').replace(/^#/, ''))));
  const known = presets.filter(({ preset }) => preset.layout === 'dsr');
  const fits = known
    .filter(({ preset }) => types.has(salesType(preset)))
    .map(
      (fitting): PresetMatch => ({
        known: fitting,
        delimiter: '\t',
        headerLine: 0,
        header: [],
        names: [],
        columns: { month: 0, currency: 0 },
        preamble: {},
        unclear: {},
        signCurrencies: [],
      }),
    );
  if (fits[0] && fits.length === 1) return { is: 'recognised', fit: fits[0] };
  if (fits.length > 1) return { is: 'ambiguous', fits };
  const misses = known.map(({ key, preset }) => {
    const missing = [salesType(preset)];
    return { key, name: preset.name, matched: 1, missing };
  });
  return { is: 'unrecognised', misses: rankMismatches(misses), rows: rows.slice(0, 20) };
}

type DsrRecord = { type: string; cells: string[] };

export function createDsrReader({ preset }: KnownPreset, { mark, isMarkChosen }: ReadingChoice): StatementReader {
  const fields = Object.keys(preset.columns) as StatementField[];
  const summer = new LineSummer(preset, Object.fromEntries(fields.map((field, index) => [field, index])), {
    header: fields,
    mark,
    ...(isMarkChosen === undefined ? {} : { isMarkChosen }),
  });
  const sources = fields.map((field) =>
    (preset.columns[field] ?? []).map((name) => {
      const [type = '', cell = ''] = name.split('.');
      return { type, cell };
    }),
  );
  const wanted = new Set(sources.flat().map(({ type }) => type));
  const sales = salesType(preset);
  const names = new Map<string, string[]>();
  const summaries = new Map<string, DsrRecord>();
  let header: DsrRecord | undefined;
  let resources: DsrRecord[] = [];
  let block: string | undefined;
  let comments = 0;
  let foot: { record: DsrRecord; line: number } | undefined;
  const made = new MadeRow();

  const namesOf = (type: string) => names.get(type) ?? standardNames(type);
  const cellOf = (record: DsrRecord | undefined, name: string): string => {
    const index = record ? namesOf(record.type).indexOf(name) : -1;
    return index < 0 ? '' : (record?.cells[index] ?? '').trim();
  };

  function takeRow(row: FileRow): void {
    const first = row.cell(0).replace(/^\ufeff/, '');
    const cells = Array.from({ length: row.count - 1 }, (_, index) => row.cell(index + 1));
    if (first.startsWith('#')) {
      comments++;
      const type = typeOf(first.slice(1));
      const trimmed = cells.map((cell) => cell.trim());
      if (cells.length > 0 && !names.has(type)) names.set(type, trimmed);
      return;
    }
    if (first.trim() === '' && cells.every((cell) => cell.trim() === '')) {
      summer.skip(skipReasons.blank);
      return;
    }
    if (foot) throw new StatementRefusal('Des lignes suivent la fin du relevé', row.line);
    const type = typeOf(first);
    const record = { type, cells };
    if (headTypes.has(type)) header = record;
    else if (footTypes.has(type)) foot = { record, line: row.line };
    else if (type.startsWith('SY')) keepSummary(record, row.line);
    else {
      const ofBlock = cellOf(record, 'BlockId');
      if (ofBlock !== block) {
        block = ofBlock;
        resources = [];
      }
      if (type === sales) takeSale(record, row.line);
      else if (wanted.has(type)) resources.push(record);
    }
  }

  function keepSummary(record: DsrRecord, line: number): void {
    const id = cellOf(record, 'SummaryRecordId');
    const former = summaries.get(id);
    // A summary may be repeated for each rights holder.
    const differs = sources
      .flat()
      .some(({ type, cell }) => type === record.type && former && cellOf(former, cell) !== cellOf(record, cell));
    if (differs) throw new StatementRefusal(`Le récapitulatif «\u00a0${id}\u00a0» y est deux fois, et autrement`, line);
    if (summaries.size >= maxSummaries) throw new StatementRefusal('Ce relevé a trop de récapitulatifs', line);
    summaries.set(id, record);
  }

  function takeSale(record: DsrRecord, line: number): void {
    if (record.cells.length < namesOf(sales).length - 1) {
      throw new StatementRefusal(
        `Cette ligne a ${record.cells.length + 1} colonnes, «\u00a0${sales}\u00a0» en a ${namesOf(sales).length + 1}`,
        line,
      );
    }
    const summaryId = cellOf(record, 'SummaryRecordId');
    const summary = summaries.get(summaryId);
    if (!summary) throw new StatementRefusal(`Le récapitulatif «\u00a0${summaryId}\u00a0» de cette vente manque`, line);
    const sold = cellOf(record, 'DspReleaseId');
    const resource =
      resources.length === 1 ? resources[0] : resources.find((one) => cellOf(one, 'DspResourceId') === sold);
    const records = [record, summary, header, resource];
    const cells = sources.map((alternatives) => {
      for (const { type, cell } of alternatives) {
        const ofType = records.find((one) => one?.type === type);
        const text = cellOf(ofType, cell);
        if (text !== '') return unescaped(text);
      }
      return '';
    });
    summer.add(made.of(line, cells));
  }

  function requireFoot(): void {
    if (!foot) throw new StatementRefusal('La fin du relevé manque\u00a0: le fichier semble coupé');
    const { record, line } = foot;
    const declared = cellOf(record, 'NumberOfLinesInFile') || cellOf(record, 'NumberOfLinesInReport');
    const isWhole = cellOf(header, 'NumberOfFiles') === '1' || cellOf(record, 'NumberOfLinesInFile') !== '';
    // Writers of these files disagree whether comments count as lines.
    if (isWhole && /^\d+$/.test(declared) && Number(declared) !== line && Number(declared) !== line - comments) {
      throw new StatementRefusal(`Le relevé annonce ${declared} lignes, il en a ${line}`, line);
    }
  }

  const scanner = new RecordScanner('\t', takeRow);
  return {
    push(text) {
      scanner.push(text);
      return summer.take();
    },
    end() {
      scanner.end();
      requireFoot();
      return summer.end();
    },
    get line() {
      return scanner.nextLine;
    },
    seen: summer,
  };
}
