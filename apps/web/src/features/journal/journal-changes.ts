import { capabilities, findCapabilityById } from '@regie/contract/capabilities.ts';
import { fr } from '#src/fr.ts';
import { formatDateTime, formatMoney, formatMonth, formatNumber } from '#src/lib/formats.ts';
import { monthLabel, valueLabel } from './journal-words.ts';

export interface Change {
  field: string;
  before: unknown;
  after: unknown;
}

type Fields = Record<string, unknown> | null;

/**
 * What differs between two states of a record, nested objects by path (`address.city`). A created record shows
 * what it got, a deleted one what it had.
 */
export function findChanges(before: Fields, after: Fields): Change[] {
  const old = flatten(before ?? {});
  const now = flatten(after ?? {});
  const fields = [...new Set([...old.keys(), ...now.keys()])];
  return fields
    .map((field) => ({ field, before: old.get(field), after: now.get(field) }))
    .filter((change) => JSON.stringify(change.before ?? null) !== JSON.stringify(change.after ?? null));
}

function flatten(fields: Record<string, unknown>, prefix = ''): Map<string, unknown> {
  const flat = new Map<string, unknown>();
  for (const [key, value] of Object.entries(fields)) {
    const path = prefix + key;
    if (isObject(value)) for (const [inner, leaf] of flatten(value, `${path}.`)) flat.set(inner, leaf);
    else flat.set(path, value);
  }
  return flat;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const capabilityLabels = new Map<string, string>(capabilities.map((capability) => [capability.name, capability.label]));

/** A value as a person reads it: dates, months, capabilities and yes or no in words. */
export function showValue(field: string, value: unknown): string {
  if (value === undefined || value === null) return fr.journal.absent;
  if (value === '') return fr.journal.empty;
  if (typeof value === 'boolean') return value ? fr.common.yes : fr.common.no;
  if (typeof value === 'number') return showNumber(field, value);
  if (typeof value === 'string') return capabilityLabels.get(value) ?? showText(field, value);
  if (Array.isArray(value)) {
    return value.length === 0 ? fr.journal.empty : value.map((item: unknown) => showItem(field, item)).join(', ');
  }
  return JSON.stringify(value);
}

function showItem(field: string, item: unknown): string {
  if (/capabilit/i.test(field) && typeof item === 'number') return findCapabilityById(item)?.label ?? String(item);
  return showValue(field, item);
}

function showNumber(field: string, value: number): string {
  const name = field.split('.').at(-1) ?? field;
  if (/(At|date)$/i.test(name) && value > 1e11) return formatDateTime(value);
  if (/month$/i.test(name) && value > 1e11) return formatMonth(value);
  if (name.endsWith('Eur')) return formatMoney(value, 'EUR', 6);
  if (name.endsWith('Usd')) return formatMoney(value, 'USD', 6);
  // Identifiers are not amounts: no spaces between thousands.
  return /id$|imports$/i.test(name) ? String(value) : formatNumber(value, 10);
}

function showText(field: string, value: string): string {
  const label = valueLabel(field, value);
  if (label !== undefined) return label;
  // Exact decimals travel as text in the journal.
  if (/(Usd|Eur|rate)$/.test(field) && /^-?\d+(\.\d+)?$/.test(value)) return showNumber(field, Number(value));
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(value)) {
    const ms = Date.parse(value);
    return Number.isNaN(ms) ? value : formatDateTime(ms);
  }
  return monthLabel(value);
}
