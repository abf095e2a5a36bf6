import { Link, useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';
import { fr } from '#src/fr.ts';
import { useCurrentPageTitle } from '#src/lib/page-title.ts';
import { paths } from '#src/paths.ts';
import { findScreenOf, type Screen } from '#src/routes.tsx';
import classes from './breadcrumbs.module.css';

function trailOf(screen: Screen | undefined): Screen[] {
  const trail: Screen[] = [];
  for (let current = screen; current && !trail.includes(current); ) {
    trail.unshift(current);
    current = current.parent === undefined ? undefined : findScreenOf(current.parent);
  }
  return trail;
}

/** Where this page stands; the last step is the page itself, by its record's name once that is known. */
export function Breadcrumbs({ isShort }: { isShort: boolean }) {
  const pathname = useLocation({ select: (location) => location.pathname });
  const named = useCurrentPageTitle();
  const screen = findScreenOf(pathname);
  const title = named ?? screen?.crumb ?? fr.errors.notFoundTitle;
  const above = trailOf(screen).slice(0, -1);

  useEffect(() => {
    document.title = pathname === paths.home ? fr.app : `${title} · ${fr.app}`;
  }, [title, pathname]);

  return (
    <nav aria-label={fr.shell.breadcrumb} className={classes.nav}>
      <ol className={classes.list}>
        {!isShort &&
          above.map((step) => (
            <li key={step.path} className={classes.step}>
              <Link to={step.nav?.to ?? step.path}>{step.crumb}</Link>
              <span aria-hidden>/</span>
            </li>
          ))}
        <li aria-current="page" className={classes.current}>
          {title}
        </li>
      </ol>
    </nav>
  );
}
