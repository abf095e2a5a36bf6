import { IconBan, IconCircleOff, IconStar } from '@tabler/icons-react';
import { stateTones } from '#src/domain/state-tones.ts';
import inline from '#src/ui/inline.module.css';
import type { AccountTone } from './account-labels.ts';
import { frAccounts } from './accounts.fr.ts';
import classes from './accounts.module.css';

const icons = { label: IconStar, HOLD: IconBan, DISABLED: IconCircleOff };
export const toneByAccountTone = { label: 'success', ...stateTones.account } as const;

export function AccountToneBadge({ tone }: { tone: AccountTone }) {
  const Icon = icons[tone];
  return (
    <span className={`${inline.badge} ${classes.tone}`} data-row-tone={toneByAccountTone[tone]}>
      <Icon size={14} stroke={1.9} aria-hidden />
      {frAccounts.list.tone[tone]}
    </span>
  );
}
