import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import type { SearchResult } from '@regie/contract/routes/search.ts';
import { wordsOf } from '@regie/values/typo.ts';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { type Screen, screens } from '#src/app/screens.ts';
import { frAccounts } from '#src/features/people/accounts/accounts.fr.ts';
import { isAllowed } from '#src/lib/session.ts';

type Held = Parameters<typeof isAllowed>[1];

export interface Target {
  to: string;
  search?: Record<string, string>;
}

export interface PaletteScreen extends Target {
  label: string;
  hint: string;
  icon: Screen['icon'];
}

export const screensFor = (held: Held): PaletteScreen[] =>
  screens
    .filter(({ access, to }) => access !== 'public' && isAllowed(access, held) && !to.includes('$'))
    .map(({ to, label, icon, section, parent }) => ({
      to,
      label,
      hint: (icon && section && frScreens.sections[section]) ?? parent?.label ?? '',
      icon,
    }));

/** A filter that is found by its own name. */
const withoutSiren = { search: { siren: 'missing' }, label: frAccounts.list.withoutSiren };

export function matchScreens(all: readonly PaletteScreen[], text: string): PaletteScreen[] {
  const wanted = wordsOf(text);
  const has = (name: string) => {
    const words = wordsOf(name);
    return wanted.every((word) => words.some((other) => other.startsWith(word)));
  };
  const rank = ({ label }: PaletteScreen) => {
    if (!has(label)) return 2;
    return wordsOf(label)[0]?.startsWith(wanted[0] ?? '') ? 0 : 1;
  };
  if (wanted.length === 0) return [];
  const views = all.flatMap((screen) =>
    screen.to === paths.profiles ? [screen, { ...screen, ...withoutSiren, hint: screen.label }] : screen,
  );
  return views.filter(({ label, hint }) => has(`${label} ${hint}`)).toSorted((a, b) => rank(a) - rank(b));
}

export function targetOf(result: SearchResult, held: Held): Target {
  switch (result.kind) {
    case 'account':
      return { to: paths.profile(result.id) };
    case 'release':
      return { to: paths.release(result.id) };
    case 'track':
      return { to: paths.track(result.id) };
    case 'payout': {
      if (isAllowed(['edit_pending_payout', 'edit_paid_payout'], held)) return { to: paths.payout(result.id) };
      const lists = { PENDING: paths.pendingPayouts, PAID: paths.paidPayouts, CANCEL: paths.cancelledPayouts };
      return { to: lists[result.status], search: { q: formatPayoutNumber(result.id) } };
    }
    case 'order':
      return { to: paths.invoice(result.id) };
    case 'statement':
      return { to: paths.storeStatement(result.id) };
    case 'unmatched':
      return { to: paths.unmatched, search: { q: result.q } };
    case 'import':
      return { to: paths.import(result.id) };
    case 'ticket':
      return { to: paths.ticket(result.id) };
  }
}
