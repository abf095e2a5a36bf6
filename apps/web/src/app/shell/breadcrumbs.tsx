import { Box, Group } from '@mantine/core';
import { Link, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { paths } from '#src/app/paths.ts';
import { findScreenOf, type Screen } from '#src/app/screens.ts';
import { fr } from '#src/lib/fr.ts';
import { type Crumb, useCurrentPage } from '#src/lib/page-title.ts';
import { isAllowed, useSession } from '#src/lib/session.ts';
import shared from '#src/ui/shared.module.css';
import classes from './breadcrumbs.module.css';
import { frShell } from './shell.fr.ts';

const trailOf = (screen: Screen | undefined): Crumb[] =>
  screen ? [...trailOf(screen.parent), { label: screen.crumb, to: screen.to }] : [];

export function Breadcrumbs({ isShort }: { isShort: boolean }) {
  const pathname = useLocation({ select: (location) => location.pathname });
  const named = useCurrentPage();
  const session = useSession();
  const held = session.status === 'in' ? session.data.userCapabilities : [];
  const screen = findScreenOf(pathname);
  const title = named.title ?? screen?.crumb ?? fr.errors.notFoundTitle;
  const isToCome = named.title === undefined && screen?.hasOwnParent;
  const parent = named.parent === undefined ? screen?.parent : findScreenOf(named.parent);
  const above = isToCome ? [] : (named.trail ?? trailOf(parent));
  const owner = named.trail?.at(-1)?.label;

  useEffect(() => {
    document.title = pathname === paths.home ? fr.app : [title, owner, fr.app].filter(Boolean).join(' · ');
  }, [title, owner, pathname]);

  return (
    <Box aria-label={frShell.breadcrumb} component="nav" miw={0}>
      <Group component="ol" align="stretch" gap={8} fz={13} wrap="nowrap">
        {above.slice(isShort ? -1 : 0).map(({ to, label }) => (
          <li key={to} className={classes.step}>
            {isAllowed(findScreenOf(to)?.access ?? 'session', held) ? (
              <Link to={to} activeOptions={{ exact: true }}>
                {label}
              </Link>
            ) : (
              label
            )}
            <span aria-hidden>/</span>
          </li>
        ))}
        {/* Another page is another element: it stands elsewhere, and nothing moves. */}
        <Box key={title} aria-current="page" component="li" fw={550} className={shared.cut}>
          {title}
        </Box>
      </Group>
    </Box>
  );
}
