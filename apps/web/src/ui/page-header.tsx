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

export function PageHeader({ isPageTitle = true, crumb, parent, owner, trail, ...header }: PageHeaderProps) {
  usePageTitle(isPageTitle ? (crumb ?? header.title) : undefined, { parent, owner, trail });
  return <Header {...header} />;
}

export const TabHeader = (props: Pick<PageHeaderProps, 'title' | 'count' | 'method' | 'actions'>) => (
  <Header {...props} isTab />
);

type HeaderProps = Omit<PageHeaderProps, keyof PagePlace | 'isPageTitle' | 'crumb'> & { isTab?: boolean };

function Header({ title, count, badge, method, text, actions, isTab }: HeaderProps) {
  const Title = isTab ? 'h2' : 'h1';
  const heading = (
    <Title className={`${classes.title} ${isTab ? classes.tabTitle : ''}`}>
      {title}
      {count !== undefined && <span className={classes.count}>{count}</span>}
      {badge}
    </Title>
  );
  return (
    <header className={classes.header}>
      <div className={classes.titles}>
        {method === undefined ? (
          heading
        ) : (
          <Group gap={4} wrap="nowrap">
            {heading}
            <Method of={title}>{method}</Method>
          </Group>
        )}
        {text && (
          <Box mt={2} className={`${shared.wrap} ${shared.muted}`}>
            {text}
          </Box>
        )}
      </div>
      {actions && (
        <Group align="stretch" gap={8} className={classes.actions}>
          {actions}
        </Group>
      )}
    </header>
  );
}
