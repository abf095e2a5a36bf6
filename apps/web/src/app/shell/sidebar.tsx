import { IconHome } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { paths } from '#src/app/paths.ts';
import { findScreenOf, navSections, screens, sectionsFor } from '#src/app/routes.tsx';
import { frScreens } from '#src/app/screens.fr.ts';
import { useCurrentPage } from '#src/lib/page-title.ts';
import { useSignedIn } from '#src/lib/session.ts';
import { frShell } from './shell.fr.ts';
import classes from './sidebar.module.css';

/** The sidebar entry of the current path: its own, or its parent screen's. */
function currentEntry(pathname: string): string | undefined {
  let screen = findScreenOf(pathname);
  const seen = new Set<string>();
  while (screen && !seen.has(screen.path)) {
    const target = screens.find((other) => other.nav && (other.nav.to ?? other.path) === pathname) ?? screen;
    if (target.nav) return target.nav.to ?? target.path;
    seen.add(screen.path);
    const parent = screen.parent;
    screen = parent === undefined ? undefined : findScreenOf(parent);
  }
  return undefined;
}

interface SidebarProps {
  isCollapsed: boolean;
  onNavigate?: () => void;
}

export function Sidebar({ isCollapsed, onNavigate }: SidebarProps) {
  const { userCapabilities } = useSignedIn();
  const pathname = useLocation({ select: (location) => location.pathname });
  const { parent } = useCurrentPage();
  const current = pathname === paths.home ? paths.home : currentEntry(parent ?? pathname);
  return (
    <nav className={classes.nav} aria-label={frShell.mainNavigation} data-collapsed={isCollapsed || undefined}>
      <ul className={classes.list}>
        <Entry
          to={paths.home}
          label={frScreens.sections.home}
          icon={IconHome}
          isCurrent={current === paths.home}
          isCollapsed={isCollapsed}
          onNavigate={onNavigate}
        />
      </ul>
      {sectionsFor(userCapabilities).map(({ section, entries }) => (
        <section key={section} aria-labelledby={`nav-${section}`}>
          <h2 id={`nav-${section}`} className={isCollapsed ? 'visually-hidden' : classes.section}>
            {navSections[section]}
          </h2>
          {isCollapsed && <hr className={classes.rule} aria-hidden />}
          <ul className={classes.list}>
            {entries.map(({ path, nav }) => {
              const to = nav.to ?? path;
              return (
                <Entry
                  key={to}
                  to={to}
                  label={nav.label}
                  icon={nav.icon}
                  isCurrent={current === to}
                  isCollapsed={isCollapsed}
                  onNavigate={onNavigate}
                />
              );
            })}
          </ul>
        </section>
      ))}
    </nav>
  );
}

interface EntryProps {
  to: string;
  label: string;
  icon: ComponentType<{ size?: number; stroke?: number }>;
  isCurrent: boolean;
  isCollapsed: boolean;
  onNavigate: (() => void) | undefined;
}

function Entry({ to, label, icon: Icon, isCurrent, isCollapsed, onNavigate }: EntryProps) {
  return (
    <li>
      <Link
        to={to}
        className={classes.entry}
        aria-current={isCurrent ? 'page' : undefined}
        aria-label={isCollapsed ? label : undefined}
        title={isCollapsed ? label : undefined}
        onClick={onNavigate}
        activeOptions={{ exact: true }}
      >
        <Icon size={18} stroke={1.7} aria-hidden />
        {!isCollapsed && <span className={classes.label}>{label}</span>}
      </Link>
    </li>
  );
}
