import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Crumb, usePageTitle } from '#src/lib/page-title.ts';
import classes from './page-header.module.css';
import shared from './shared.module.css';

interface PageHeaderProps {
  title: string;
  /** After the title, greyed: an exact count. */
  count?: string;
  /** A status badge. */
  badge?: ReactNode;
  /** Key facts under the title. */
  text?: ReactNode;
  actions?: ReactNode;
  /** False to keep the screen's own name in the breadcrumb. */
  isPageTitle?: boolean;
  /** The breadcrumb, when it is not the title. */
  crumb?: string;
  /** The parent screen in the breadcrumb, when it depends on the record. */
  parent?: string;
  /** The breadcrumbs above it, when they go through another record. */
  trail?: readonly Crumb[];
}

/** The page's title, badge and count, and its actions at the right. */
export function PageHeader({
  title,
  count,
  badge,
  text,
  actions,
  isPageTitle = true,
  crumb = title,
  parent,
  trail,
}: PageHeaderProps) {
  usePageTitle(isPageTitle ? crumb : undefined, parent, trail);
  return (
    <header className={classes.header}>
      <div className={classes.titles}>
        <h1 className={classes.title}>
          {title}
          {count !== undefined && <span className={classes.count}>{count}</span>}
          {badge}
        </h1>
        {text && (
          <Box mt={2} className={`${shared.wrap} ${shared.muted}`}>
            {text}
          </Box>
        )}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </header>
  );
}

/** The title of a record's tab; the page's title is the record's. */
export function TabHeader({ title, count, actions }: Pick<PageHeaderProps, 'title' | 'count' | 'actions'>) {
  return (
    <header className={classes.header}>
      <div className={classes.titles}>
        <h2 className={`${classes.title} ${classes.tabTitle}`}>
          {title}
          {count !== undefined && <span className={classes.count}>{count}</span>}
        </h2>
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </header>
  );
}
