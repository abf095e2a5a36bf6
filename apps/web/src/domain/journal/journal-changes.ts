import { allTerritoriesName, findAuditField, flattenFields, kindOf } from '@regie/contract/audit.ts';
import { capabilities } from '@regie/contract/capabilities.ts';
import type { RecordLink } from '@regie/contract/entity.ts';
import { deliveryPlatforms } from '@regie/contract/orders.ts';
import type { JournalEntry } from '@regie/contract/routes/staff.ts';
import { countryName } from '@regie/values/countries.ts';
import {
  formatBytes,
  formatDateTime,
  formatInteger,
  formatMoney,
  formatMonth,
  formatNumber,
  formatPercent,
  formatRate,
  isShownAsZero,
} from '@regie/values/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { frEntries } from './entries.fr.ts';
import { fieldLabel, findRecord, monthLabel, recordLink, recordName } from './journal-labels.ts';

export interface Change {
  field: string;
  before: unknown;
  after: unknown;
}

/** Nested objects by path. A created record shows its new values, a deleted one its old ones. */
export function findChanges({ before, after }: Pick<JournalEntry, 'before' | 'after'>): Change[] {
  const old = flattenFields(before);
  const now = flattenFields(after);
  const fields = new Set([...old.keys(), ...now.keys()].filter((field) => field !== 'alert')).add('alert');
  return [...fields]
    .map((field) => ({ field, before: old.get(field), after: now.get(field) }))
    .filter((change) => JSON.stringify(change.before ?? null) !== JSON.stringify(change.after ?? null));
}

export interface Shown {
  text: string;
  link?: RecordLink;
}
type Named = Pick<JournalEntry, 'action' | 'records' | 'before' | 'after'>;

export function showValue(entry: Named, path: string, value: unknown): Shown[] {
  if (value === undefined || value === null) return [{ text: frEntries.absent }];
  if (value === '') return [{ text: frEntries.empty }];
  if (!Array.isArray(value)) return [showOne(entry, path, value)];
  return value.length === 0 ? [{ text: frEntries.empty }] : value.map((item: unknown) => showOne(entry, path, item));
}

export const showText = (entry: Named, path: string, value: unknown): string =>
  showValue(entry, path, value)
    .map(({ text }) => text)
    .join(', ');

export const changesText = (entry: JournalEntry): string => changeTexts(entry).join(' · ');

export const changeTexts = (entry: JournalEntry): string[] =>
  findChanges(entry).map(({ field, before, after }) => {
    const label = fieldLabel(entry.action, field);
    const show = (value: unknown) => showText(entry, field, value);
    if (entry.before === null || before === undefined) return frEntries.value(label, show(after));
    if (entry.after === null) return frEntries.value(label, show(before));
    return frEntries.change(label, show(before), show(after));
  });

function showOne(entry: Named, path: string, value: unknown): Shown {
  const field = findAuditField(entry.action, path);
  const holds: string | Readonly<Record<string, string>> = field?.[0] ?? 'text';
  if (Array.isArray(value)) return { text: value.filter((part) => part !== '').join(' · ') };
  if (typeof holds !== 'string') return { text: holds[String(value)] ?? String(value) };
  if (typeof value === 'boolean') return { text: value ? fr.common.yes : fr.common.no };
  if (typeof value !== 'string' && typeof value !== 'number') return { text: JSON.stringify(value) };
  const scalar = scalars[holds];
  if (scalar) return { text: scalar(value, entry, path) };
  const kind = holds === 'preset' ? 'statement_preset' : field && kindOf(field);
  if (kind === undefined) return { text: String(value) };
  const reference = { kind, id: String(value) };
  const record = findRecord(entry, reference);
  return { text: recordName(reference, record), link: recordLink(reference, record) };
}

const withNumber = (show: (value: number) => string) => (value: string | number) =>
  value !== '' && Number.isFinite(Number(value)) ? show(Number(value)) : String(value);

const ledgerDecimals = 6;
const money = (currency: string) => withNumber((value) => formatMoney(value, currency, ledgerDecimals));
const sum = (currency: string) =>
  withNumber((value) => formatMoney(value, currency, isShownAsZero(value) ? ledgerDecimals : 2));

function currencyOf({ before, after }: Named, path: string): string {
  const fields = { ...before, ...after };
  const currency = path === 'declaredAmount' ? fields.declaredCurrency : fields.currency;
  return typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) ? currency : 'EUR';
}

function showInstant(value: string | number): string {
  const ms = typeof value === 'number' ? value : Date.parse(value);
  return Number.isNaN(ms) ? String(value) : formatDateTime(ms);
}

function showOldRate(value: string | number): string {
  const [, month, currency, rate, of] = /^(\S+) (\w+) (\S+) \((\S+)\)$/.exec(String(value)) ?? [];
  if (!month || !currency || !rate || !of) return String(value);
  return frEntries.oldRate(monthLabel(month), currency, formatRate(Number(rate)), monthLabel(of));
}

function showDeclaration(value: string | number): string {
  const [, month, currency, ...amounts] = /^(\S+) (\w+) (\S+) \/ (\S+) \((\S+)\)$/.exec(String(value)) ?? [];
  const [read, declared, difference] = amounts.map(money(currency ?? 'EUR'));
  if (!month || !read || !declared || !difference) return String(value);
  return frEntries.declaration(monthLabel(month), read, declared, difference);
}

const platformNames = new Map<string, string>(Object.entries(deliveryPlatforms));

const scalars: Record<string, (value: string | number, entry: Named, path: string) => string> = {
  number: withNumber((value) => formatNumber(value, 10)),
  index: withNumber((value) => formatInteger(value + 1)),
  eur: money('EUR'),
  eurSum: sum('EUR'),
  usdSum: sum('USD'),
  money: (value, entry, path) => money(currencyOf(entry, path))(value),
  percent: withNumber(formatPercent),
  rate: withNumber(formatRate),
  bytes: withNumber(formatBytes),
  day: (value) => String(value).replace(/^(\d{4})-(\d{2})-(\d{2})$/, '$3/$2/$1'),
  instant: showInstant,
  month: (value) => (typeof value === 'number' ? formatMonth(value) : monthLabel(value)),
  field: (value, { action }) => fieldLabel(action, String(value)),
  capability: (value) => capabilities.find(({ name }) => name === value)?.label ?? String(value),
  platform: (value) => platformNames.get(String(value)) ?? String(value),
  territory: (value) => (value === 'all' ? allTerritoriesName : countryName(String(value))),
  oldRate: showOldRate,
  declaration: showDeclaration,
};
