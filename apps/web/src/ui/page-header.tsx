import type { ReactNode } from 'react';
import { usePageTitle } from '#src/lib/page-title.ts';
import classes from './page-header.module.css';

interface PageHeaderProps {
  title: string;
  /** After the title, greyed: an exact count. */
  count?: string | undefined;
  /** A status badge. */
  badge?: ReactNode;
  /** Key facts under the title. */
  text?: ReactNode;
  actions?: ReactNode;
  /** False to keep the screen's own name in the breadcrumb. */
  isPageTitle?: boolean;
  /** The parent screen in the breadcrumb, when it depends on the record. */
  parent?: string;
}

/** The page's title, badge and count, and its actions at the right. */
export function PageHeader({ title, count, badge, text, actions, isPageTitle = true, parent }: PageHeaderProps) {
  usePageTitle(isPageTitle ? title : undefined, parent);
  return (
    <header className={classes.header}>
      <div className={classes.titles}>
        <h1 className={classes.title}>
          {title}
          {count !== undefined && <span className={classes.count}>{count}</span>}
          {badge}
        </h1>
        {text && <div className={classes.text}>{text}</div>}
      </div>
      {actions && <div className={classes.actions}>{actions}</div>}
    </header>
  );
}
