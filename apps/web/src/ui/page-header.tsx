import { Box, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Crumb, usePageTitle } from '#src/lib/page-title.ts';
import classes from './page-header.module.css';
import shared from './shared.module.css';

interface PageHeaderProps {
  title: string;
  count?: string;
  badge?: ReactNode;
  text?: ReactNode;
  actions?: ReactNode;
  /** False to keep the screen's own name in the breadcrumb. */
  isPageTitle?: boolean;
  crumb?: string;
  /** The parent screen in the breadcrumb, when it depends on the record. */
  parent?: string;
  /** The breadcrumbs above it, when they go through another record. */
  trail?: readonly Crumb[];
}

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
    <Header actions={actions}>
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
    </Header>
  );
}

export function TabHeader({ title, count, actions }: Pick<PageHeaderProps, 'title' | 'count' | 'actions'>) {
  return (
    <Header actions={actions}>
      <h2 className={`${classes.title} ${classes.tabTitle}`}>
        {title}
        {count !== undefined && <span className={classes.count}>{count}</span>}
      </h2>
    </Header>
  );
}

function Header({ actions, children }: { actions: ReactNode; children: ReactNode }) {
  return (
    <header className={classes.header}>
      <div className={classes.titles}>{children}</div>
      {actions && (
        <Group align="stretch" gap={8} className={classes.actions}>
          {actions}
        </Group>
      )}
    </header>
  );
}
