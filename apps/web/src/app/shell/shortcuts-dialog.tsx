import { Box, Modal } from '@mantine/core';
import { Fragment } from 'react';
import { useShortcutsPreference } from '#src/lib/key-shortcuts.ts';
import { useSignedIn } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { goTargetsFor } from './go-keys.ts';
import { frShortcuts as t } from './shortcuts.fr.ts';
import classes from './shortcuts-dialog.module.css';

interface Shortcut {
  label: string;
  keys: readonly string[];
  link?: string;
}
interface Group {
  label: string;
  shortcuts: readonly Shortcut[];
}

const everywhere: Group = {
  label: t.everywhere,
  shortcuts: [
    { label: t.search, keys: ['Ctrl', 'K'], link: '+' },
    { label: t.help, keys: ['?'] },
    { label: t.close, keys: [t.escape] },
    { label: t.save, keys: ['Ctrl', t.enter], link: '+' },
    { label: t.skip, keys: [t.tab, t.enter], link: t.followedBy },
  ],
};
const places: readonly Group[] = [
  { label: t.menu, shortcuts: [{ label: t.favourite, keys: ['→', t.enter], link: t.followedBy }] },
  {
    label: t.lists,
    shortcuts: [
      { label: t.next, keys: ['j', '↓'] },
      { label: t.previous, keys: ['k', '↑'] },
      { label: t.open, keys: [t.enter] },
      { label: t.select, keys: ['x'] },
      { label: t.searchList, keys: ['/'] },
      { label: t.clearSearch, keys: [t.escape] },
    ],
  },
  {
    label: t.unmatched,
    shortcuts: [
      { label: t.accept, keys: [t.enter] },
      { label: t.choose, keys: ['c'] },
    ],
  },
  {
    label: t.player,
    shortcuts: [
      { label: t.play, keys: [t.space] },
      { label: t.seek, keys: ['←', '→'] },
      { label: t.ends, keys: [t.home, t.end] },
    ],
  },
  {
    label: t.charts,
    shortcuts: [
      { label: t.month, keys: ['←', '→'] },
      { label: t.monthEnds, keys: [t.home, t.end] },
    ],
  },
];

export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const { userCapabilities } = useSignedIn();
  const [shortcuts] = useShortcutsPreference();
  const go = {
    label: t.go,
    shortcuts: goTargetsFor(userCapabilities).map(({ letter, label }) => ({
      label,
      keys: ['g', letter],
      link: t.followedBy,
    })),
  };
  return (
    <Modal opened onClose={onClose} title={t.title} size={760}>
      {shortcuts === 'off' && <Notice tone="note">{t.off}</Notice>}
      <div className={classes.groups}>
        {[everywhere, go, ...places].map((group) => (
          <section key={group.label} aria-label={group.label}>
            <Box component="h3" mb={4} fz={13} fw={600}>
              {group.label}
            </Box>
            <dl className={classes.list}>
              {group.shortcuts.map(({ label, keys, link = t.or }) => (
                <div key={label}>
                  <dt>{label}</dt>
                  <dd>
                    {keys.map((key, index) => (
                      <Fragment key={key}>
                        {index > 0 && ` ${link} `}
                        <kbd>{key}</kbd>
                      </Fragment>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
