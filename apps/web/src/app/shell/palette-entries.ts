import { formatPayoutNumber } from '@regie/contract/payouts.ts';
import type { SearchResult } from '@regie/contract/routes/search.ts';
import { fold } from '@regie/values/search-text.ts';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { type Screen, screens } from '#src/app/screens.ts';
import { isAllowed } from '#src/lib/session.ts';

type Held = Parameters<typeof isAllowed>[1];

export interface PaletteScreen {
  to: string;
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

const wordsOf = (text: string) =>
  fold(text)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);

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
  return all.filter(({ label, hint }) => has(`${label} ${hint}`)).toSorted((a, b) => rank(a) - rank(b));
}

/** « Pourquoi ce montant ? », or its beginning, before the name of an account: that name. */
export function findAskedAmount(text: string): string | undefined {
  const [asked, name = ''] =
    /^\s*pourq(?:u(?:o(?:i)?)?)?(?:\s+ce(?:\s+montant)?)?\s*\??(?:\s+(.*))?$/i.exec(text) ?? [];
  return asked === undefined ? undefined : name.trim();
}

export interface Target {
  to: string;
  search?: Record<string, string>;
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
    case 'ticket':
      return {
        to: paths.tickets(result.status === 'OPENED' ? 'opened' : 'closed'),
        search: { q: `dt-${result.id}` },
      };
  }
}
