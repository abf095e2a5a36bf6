import type { Capability } from '@regie/contract/capabilities.ts';
import type { MonthCell } from '@regie/contract/routes/months.ts';
import { formatLongMonth } from '@regie/values/formats.ts';
import { addMonths, type Month, monthOfInstant, monthToMs } from '@regie/values/month.ts';
import { fold } from '@regie/values/search-text.ts';
import { typoPattern, wordsOf } from '@regie/values/typo.ts';
import { paths } from '#src/app/paths.ts';
import { frPalette as t } from './palette.fr.ts';
import type { Target } from './palette-entries.ts';

/** A page to open filled in; nothing is written. */
export interface Act {
  group: string;
  hint: string;
  /** The page itself, one of each rate or, for an act on an account, where one is chosen. */
  pages: readonly (Target & { label: string })[];
  /** The account to look for; empty while none is typed. */
  name?: string;
  /** Whether its pages come first where no account has the name. */
  isSure?: true;
  of?: (id: number) => Target;
}

const toStatement = {
  needs: 'manage_profiles',
  hint: t.statementHint,
  choose: paths.profiles,
  of: (id: number): Target => ({ to: paths.statement(id) }),
} as const;
const onAccounts = [
  {
    ...toStatement,
    group: t.why,
    asked: /^pourq(?:u(?:o(?:i)?)?)?(?:\s+ce(?:\s+montant)?)?\s*\??(?:\s+(.*))?$/,
  },
  { ...toStatement, group: t.statement, asked: /^releves?(?:\s+(?:d[eu]\s+|d['’])?(.*))?$/ },
  {
    needs: 'edit_pending_payout',
    group: t.pay,
    hint: t.formHint,
    choose: paths.requestPayout,
    asked: /^(?:payer|verser)(?:\s+(?:a\s+)?(.*))?$/,
    of: (id: number): Target => ({ to: paths.requestPayout, search: { userId: String(id) } }),
  },
] as const;

const monthNames = Array.from(
  { length: 12 },
  (_, index) => wordsOf(formatLongMonth(Date.UTC(2000, index, 15)))[0] ?? '',
);
const currencies = new Set(Intl.supportedValuesOf('currency'));

/** Of a name's first three letters or more, or of one with a typo; -1 for other words. */
function findName(word: string, names: readonly string[]): number {
  if (word.length < 3) return -1;
  const begun = names.findIndex((name) => name.startsWith(word));
  return begun === -1 ? names.findIndex((name) => new RegExp(typoPattern(word)).test(name)) : begun;
}

/** By its name or, before a year, its number; without a year, the last one that has begun. */
function findMonthIn(words: readonly string[], now: Month): Month | undefined {
  const typed = words.find((word) => /^20\d\d$/.test(word));
  const numbered = typed === undefined ? undefined : words.find((word) => /^(?:0?[1-9]|1[0-2])$/.test(word));
  const named = words.map((word) => findName(word, monthNames)).find((found) => found !== -1);
  const index = numbered === undefined ? named : Number(numbered) - 1;
  if (index === undefined) return undefined;
  const month = `${typed ?? now.slice(0, 4)}-${String(index + 1).padStart(2, '0')}` as Month;
  return typed === undefined && month > now ? addMonths(month, -12) : month;
}

/** Before a name, a typo in the verb is forgiven: `payr klein`, and not `player one`. */
function correctVerb(text: string): string {
  const [verb = '', ...others] = fold(text.trim()).split(/\s+/);
  const meant = ['payer', 'verser', 'releve'].find(
    (known) =>
      known.length - verb.length <= 1 && verb.length <= known.length && new RegExp(typoPattern(verb)).test(known),
  );
  return [others.length === 0 ? verb : (meant ?? verb), ...others].join(' ');
}

function asksForRate(text: string): boolean {
  const [verb = '', ...others] = wordsOf(text);
  // The word is too short for a typo in what was typed.
  const isRate = (word: string) => word.length > 2 && new RegExp(typoPattern('taux')).test(word);
  return findName(verb, ['ajouter', 'saisir']) !== -1 && others.some(isRate);
}

function asksToClose(text: string): boolean {
  const [verb = ''] = wordsOf(text);
  return verb.length > 6 && findName(verb, ['cloturer', 'comptabiliser']) !== -1;
}

/** Whether an act depends on the cells of the board. */
export const readsBoard = (text: string): boolean => asksForRate(text) || asksToClose(text);

/** What a text asks to do, if whoever holds these capabilities may. @param cells of the board of months */
export function findAct(
  text: string,
  held: readonly Capability[],
  cells: readonly Pick<MonthCell, 'month' | 'missingRates' | 'readySums'>[] = [],
  nowMs = Date.now(),
): Act | undefined {
  const may = (...needed: Capability[]) => needed.every((capability) => held.includes(capability));
  const [, ...others] = wordsOf(text);
  const typedMonth = findMonthIn(others, monthOfInstant(nowMs));
  for (const { asked, needs, choose, ...act } of onAccounts) {
    const [found, name = ''] = asked.exec(correctVerb(text)) ?? [];
    if (found === undefined) continue;
    // `mark` is a name, not March with a typo.
    const isExact = (word: string) =>
      /^\d+$/.test(word) || (word.length > 2 && monthNames.some((name) => name.startsWith(word)));
    if (act.group === t.statement && typedMonth !== undefined && others.some(isExact) && may('read_reports')) {
      const label = t.statementsOf(formatLongMonth(monthToMs(typedMonth)));
      const pages = [{ label, to: paths.statements, search: { month: typedMonth } }];
      return { ...act, hint: t.listHint, isSure: true, ...(may(needs) && { name }), pages };
    }
    if (may(needs)) return { ...act, name, pages: [{ label: t.anyAccount, to: choose }] };
  }
  const month = typedMonth ?? addMonths(monthOfInstant(nowMs), -1);
  if (asksToClose(text) && may('read_reports', 'edit_reports')) {
    const ready = typedMonth
      ? []
      : cells.filter(({ readySums }) => readySums > 0).map((cell) => monthOfInstant(cell.month));
    const months = ready.length > 0 ? [...new Set(ready)].toSorted() : [month];
    const pages = months.map((one) => ({ label: t.close(formatLongMonth(monthToMs(one))), to: paths.month(one) }));
    return { group: t.act, hint: t.closeHint, pages };
  }
  if (!asksForRate(text) || !may('manage_settings')) return undefined;
  const currency = others.map((word) => word.toUpperCase()).find((word) => currencies.has(word));
  const rateOf = (of: string, ms: number) => ({
    label: t.rate(of, formatLongMonth(ms)),
    ...{ to: paths.exchangeRates, search: { add: monthOfInstant(ms), currency: of } },
  });
  const missing = cells.flatMap((cell) => cell.missingRates.map((rate) => rateOf(rate.currency, cell.month)));
  const rates = currency === undefined ? missing : [rateOf(currency, monthToMs(month))];
  const pages = [...new Map(rates.map((page) => [page.label, page])).values()];
  const anyRate = { label: t.anyRate, to: paths.exchangeRates, search: { add: month } };
  return { group: t.act, hint: t.formHint, pages: pages.length > 0 ? pages : [anyRate] };
}
