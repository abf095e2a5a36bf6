import { Box, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { type PagePlace, usePageTitle } from '#src/lib/page-title.ts';
import { Method } from './method.tsx';
import classes from './page-header.module.css';
import shared from './shared.module.css';

interface PageHeaderProps extends PagePlace {
  title: string;
  count?: string;
  badge?: ReactNode;
  /** How its figures are made. */
  method?: string | undefined;
  text?: ReactNode;
  actions?: ReactNode;
  /** False to keep the screen's own name in the breadcrumb. */
  isPageTitle?: boolean;
  crumb?: string;
}

export function PageHeader({
  title,
  count,
  badge,
  method,
  text,
  actions,
  isPageTitle = true,
  crumb = title,
  ...place
}: PageHeaderProps) {
  usePageTitle(isPageTitle ? crumb : undefined, place);
  return (
    <Header actions={actions}>
      <Titled method={method} of={title}>
        <h1 className={classes.title}>
          {title}
          {count !== undefined && <span className={classes.count}>{count}</span>}
          {badge}
        </h1>
      </Titled>
      {text && (
        <Box mt={2} className={`${shared.wrap} ${shared.muted}`}>
          {text}
        </Box>
      )}
    </Header>
  );
}

type TabHeaderProps = Pick<PageHeaderProps, 'title' | 'count' | 'method' | 'actions'>;

export function TabHeader({ title, count, method, actions }: TabHeaderProps) {
  return (
    <Header actions={actions}>
      <Titled method={method} of={title}>
        <h2 className={`${classes.title} ${classes.tabTitle}`}>
          {title}
          {count !== undefined && <span className={classes.count}>{count}</span>}
        </h2>
      </Titled>
    </Header>
  );
}

function Titled({ method, of, children }: { method: string | undefined; of: string; children: ReactNode }) {
  return method === undefined ? (
    children
  ) : (
    <Group gap={4} wrap="nowrap">
      {children}
      <Method of={of}>{method}</Method>
    </Group>
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
