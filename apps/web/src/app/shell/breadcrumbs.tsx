import { Box, Group } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { findScreenOf, type Screen } from '#src/app/screens.ts';
import { frEntry as fr } from '#src/lib/entry.fr.ts';
import { useShownPath } from '#src/lib/page-location.ts';
import { type Crumb, useCurrentPage } from '#src/lib/page-title.ts';
import { isAllowed, useSession } from '#src/lib/session.ts';
import shared from '#src/ui/shared.module.css';
import classes from './breadcrumbs.module.css';
import { frShell } from './shell.fr.ts';

const trailOf = (screen: Screen | undefined): Crumb[] =>
  screen ? [...trailOf(screen.parent), { label: screen.crumb, to: screen.to }] : [];

export function Breadcrumbs({ isShort }: { isShort: boolean }) {
  const pathname = useShownPath();
  const named = useCurrentPage();
  const session = useSession();
  const held = session.status === 'in' ? session.data.userCapabilities : [];
  const screen = findScreenOf(pathname);
  const title = named.title ?? screen?.crumb ?? fr.errors.notFoundTitle;
  // A record's owner and name come with it.
  const isToCome = named.title === undefined && (screen?.hasOwnParent || screen?.path.includes('$id'));
  const parent = named.parent === undefined ? screen?.parent : findScreenOf(named.parent);
  const mayOpen = ({ to }: Crumb) => isAllowed(findScreenOf(to)?.access ?? 'session', held);
  const owner = named.owner && {
    label: named.owner.name || frScreens.accounts.crumb,
    to: paths.profile(named.owner.id),
  };
  const list = trailOf(owner && mayOpen(owner) ? findScreenOf(paths.profiles) : parent);
  const above = isToCome ? [] : [...list, ...(owner ? [owner] : []), ...(named.trail ?? []).filter(mayOpen)];
  const around = (owner ?? named.trail?.at(-1))?.label;

  useEffect(() => {
    document.title = pathname === paths.home ? fr.app : [title, around, fr.app].filter(Boolean).join(' · ');
  }, [title, around, pathname]);

  return (
    <Box aria-label={frShell.breadcrumb} component="nav" miw={0}>
      <Group component="ol" align="stretch" gap={8} fz={13} wrap="nowrap">
        {(isShort ? above.filter(mayOpen).slice(-1) : above).map((step) => (
          <li key={step.to} className={classes.step}>
            {mayOpen(step) ? (
              <Link to={step.to} activeOptions={{ exact: true }}>
                {step.label}
              </Link>
            ) : (
              step.label
            )}
            <span aria-hidden>/</span>
          </li>
        ))}
        {/* Another page is another element: it stands elsewhere, and nothing moves. */}
        <Box key={`${above.length} ${title}`} aria-current="page" component="li" fw={550} className={shared.cut}>
          {title}
        </Box>
      </Group>
    </Box>
  );
}
