import type { Cell } from '@regie/values/cell.ts';

/** Detected over all values of a column, or chosen by the user; never per cell (product §33.16). */
export const numberFormats = [
  'comma',
  'dot',
  'commaGroupedBySpace',
  'commaGroupedByDot',
  'dotGroupedByComma',
  'dotGroupedBySpace',
] as const;
export type NumberFormat = (typeof numberFormats)[number];

const shapes = [
  'empty',
  'integer',
  'dot',
  'comma',
  /** `1.234`: a decimal, or one thousand two hundred and thirty-four. */
  'dotUnsure',
  /** `1,234`: the same. */
  'commaUnsure',
  'groupedByDot',
  'groupedByComma',
  'groupedBySpace',
  'commaGroupedByDot',
  'dotGroupedByComma',
  'commaGroupedBySpace',
  'dotGroupedBySpace',
  'unreadable',
] as const;
type Shape = (typeof shapes)[number];

const everyFormat: readonly NumberFormat[] = numberFormats;
const dotDecimal: readonly NumberFormat[] = ['dot', 'dotGroupedByComma', 'dotGroupedBySpace'];
const commaDecimal: readonly NumberFormat[] = ['comma', 'commaGroupedByDot', 'commaGroupedBySpace'];
const readers: Record<Shape, readonly NumberFormat[]> = {
  empty: everyFormat,
  integer: everyFormat,
  dot: dotDecimal,
  comma: commaDecimal,
  dotUnsure: [...dotDecimal, 'commaGroupedByDot'],
  commaUnsure: [...commaDecimal, 'dotGroupedByComma'],
  groupedByDot: ['commaGroupedByDot'],
  groupedByComma: ['dotGroupedByComma'],
  groupedBySpace: ['commaGroupedBySpace', 'dotGroupedBySpace'],
  commaGroupedByDot: ['commaGroupedByDot'],
  dotGroupedByComma: ['dotGroupedByComma'],
  commaGroupedBySpace: ['commaGroupedBySpace'],
  dotGroupedBySpace: ['dotGroupedBySpace'],
  unreadable: [],
};

const maxLength = 60;
const maxExponent = 40;
const space = '[ \\u00A0\\u202F\\u2009]';
const exponent = '(?:e([+-]?\\d{1,2}))?';

const shapePatterns: readonly (readonly [Shape, RegExp])[] = [
  ['integer', new RegExp(`^[+-]?\\d+${exponent}$`, 'iu')],
  ['dotUnsure', /^[+-]?[1-9]\d{0,2}\.\d{3}$/u],
  ['commaUnsure', /^[+-]?[1-9]\d{0,2},\d{3}$/u],
  ['dot', new RegExp(`^[+-]?(?:\\d+\\.\\d*|\\.\\d+)${exponent}$`, 'iu')],
  ['comma', new RegExp(`^[+-]?(?:\\d+,\\d*|,\\d+)${exponent}$`, 'iu')],
  ['groupedByDot', /^[+-]?[1-9]\d{0,2}(?:\.\d{3}){2,}$/u],
  ['groupedByComma', /^[+-]?[1-9]\d{0,2}(?:,\d{3}){2,}$/u],
  ['groupedBySpace', new RegExp(`^[+-]?[1-9]\\d{0,2}(?:${space}\\d{3})+$`, 'u')],
  ['commaGroupedByDot', /^[+-]?[1-9]\d{0,2}(?:\.\d{3})+,\d*$/u],
  ['dotGroupedByComma', /^[+-]?[1-9]\d{0,2}(?:,\d{3})+\.\d*$/u],
  ['commaGroupedBySpace', new RegExp(`^[+-]?[1-9]\\d{0,2}(?:${space}\\d{3})+,\\d*$`, 'u')],
  ['dotGroupedBySpace', new RegExp(`^[+-]?[1-9]\\d{0,2}(?:${space}\\d{3})+\\.\\d*$`, 'u')],
];

const groups: Record<NumberFormat, { decimal: '.' | ','; group: RegExp | null }> = {
  dot: { decimal: '.', group: null },
  comma: { decimal: ',', group: null },
  dotGroupedByComma: { decimal: '.', group: /,/g },
  commaGroupedByDot: { decimal: ',', group: /\./g },
  dotGroupedBySpace: { decimal: '.', group: new RegExp(space, 'gu') },
  commaGroupedBySpace: { decimal: ',', group: new RegExp(space, 'gu') },
};

/** Spreadsheets and web pages write a true minus sign. */
const tidy = (text: string) => text.trim().replace(/^\u2212/u, '-');

function shapeOf(cell: Cell | undefined): Shape {
  if (cell === undefined) return 'empty';
  if (typeof cell !== 'string') return 'integer';
  const text = tidy(cell);
  if (text === '') return 'empty';
  if (text.length > maxLength) return 'unreadable';
  for (const [shape, pattern] of shapePatterns) if (pattern.test(text)) return shape;
  return 'unreadable';
}

/** The exact text (`-1234.5`); '' for an empty cell, undefined when unreadable in this format. No float is used. */
export function readDecimal(cell: Cell | undefined, format: NumberFormat): string | undefined {
  if (cell === undefined) return '';
  if (typeof cell !== 'string') return plainDecimal(cell.number, '.');
  const shape = shapeOf(cell);
  if (shape === 'empty') return '';
  if (!readers[shape].includes(format)) return undefined;
  const text = tidy(cell);
  const { decimal, group } = groups[format];
  return plainDecimal(group ? text.replace(group, '') : text, decimal);
}

export function readCount(cell: Cell | undefined, format: NumberFormat): string | undefined {
  const text = readDecimal(cell, format);
  if (text === undefined || !text.includes('.')) return text;
  return /\.0*$/.test(text) ? text.slice(0, text.indexOf('.')) : undefined;
}

const decimalParts: Record<'.' | ',', RegExp> = {
  '.': new RegExp(`^([+-]?)(\\d*)(?:\\.(\\d*))?${exponent}$`, 'iu'),
  ',': new RegExp(`^([+-]?)(\\d*)(?:,(\\d*))?${exponent}$`, 'iu'),
};

function plainDecimal(text: string, mark: '.' | ','): string | undefined {
  const parts = decimalParts[mark].exec(text);
  if (!parts) return undefined;
  const [, sign = '', whole = '', fraction = '', power = '0'] = parts;
  const digits = whole + fraction;
  const shift = Number(power);
  if (digits === '' || Math.abs(shift) > maxExponent) return undefined;
  const point = whole.length + shift;
  const padded = point < 0 ? '0'.repeat(-point) + digits : digits.padEnd(point, '0');
  const at = Math.max(point, 0);
  const left = padded.slice(0, at).replace(/^0+(?=\d)/, '') || '0';
  const right = padded.slice(at);
  return `${sign === '-' ? '-' : ''}${left}${right ? `.${right}` : ''}`;
}

export interface ShapeStatistics {
  counts: Partial<Record<Shape, number>>;
  samples: Partial<Record<Shape, string>>;
}

export class NumberColumn implements ShapeStatistics {
  readonly counts: ShapeStatistics['counts'] = {};
  readonly samples: ShapeStatistics['samples'] = {};

  add(cell: Cell | undefined): void {
    const shape = shapeOf(cell);
    const count = this.counts[shape] ?? 0;
    if (count === 0 && shape !== 'empty') this.samples[shape] = typeof cell === 'string' ? cell.trim() : cell?.number;
    this.counts[shape] = count + 1;
  }
}

export function unreadCount(column: ShapeStatistics, format: NumberFormat): number {
  let unread = 0;
  for (const shape of shapes) if (!readers[shape].includes(format)) unread += column.counts[shape] ?? 0;
  return unread;
}

/** Undefined when the user must choose. Thousands separators are never assumed: values with one stay unread. */
export function detectNumberFormat(column: ShapeStatistics): NumberFormat | undefined {
  const sum = (...names: Shape[]) => names.reduce((total, shape) => total + (column.counts[shape] ?? 0), 0);
  const saysDot = sum('dot', 'dotGroupedByComma', 'dotGroupedBySpace', 'groupedByComma');
  const saysComma = sum('comma', 'commaGroupedByDot', 'commaGroupedBySpace', 'groupedByDot');
  const unsure = sum('dotUnsure', 'commaUnsure');
  if (saysDot > 0 && saysComma === 0) return 'dot';
  if (saysComma > 0 && saysDot === 0) return 'comma';
  if (unsure > 0) return undefined;
  if (saysDot === 0 && saysComma === 0) return 'dot';
  const [dotUnread, commaUnread] = [unreadCount(column, 'dot'), unreadCount(column, 'comma')];
  if (dotUnread === commaUnread) return undefined;
  return dotUnread < commaUnread ? 'dot' : 'comma';
}

export function offeredFormats(column: ShapeStatistics): NumberFormat[] {
  const marked = shapes.filter((shape) => shape !== 'integer' && shape !== 'empty' && (column.counts[shape] ?? 0) > 0);
  return numberFormats.filter((format) => marked.some((shape) => readers[shape].includes(format)));
}

export function findUnreadSample(column: ShapeStatistics, format: NumberFormat): string | undefined {
  const shape = shapes.find((name) => !readers[name].includes(format) && (column.counts[name] ?? 0) > 0);
  return shape && column.samples[shape];
}
