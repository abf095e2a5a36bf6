import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { paths } from '#src/app/paths.ts';
import { fr } from '#src/lib/fr.ts';
import { parseSearch } from '#src/lib/search-params.ts';
import { LinkButton } from '#src/ui/link-button.tsx';
import { Mark } from '#src/ui/splash.tsx';
import { frAuth } from './auth.fr.ts';
import classes from './auth-frame.module.css';

/** The frame of the signed-out screens: the logo, a title, one narrow form. */
export function AuthFrame({
  title,
  text,
  children,
}: {
  title: string;
  text?: string | undefined;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · ${fr.app}`;
  }, [title]);
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <div className={classes.brand}>
          <Mark size={40} />
          <span>{fr.app}</span>
        </div>
        <h1 className={classes.title}>{title}</h1>
        {text && <p className={classes.text}>{text}</p>}
        <div className={classes.content}>{children}</div>
      </div>
    </main>
  );
}

/** A stable function, so that React calls it once: the button replaces the form that had the focus. */
export function focusOnMount(node: HTMLAnchorElement | null): void {
  node?.focus();
}

export function BackToSignIn({ isMain = false }: { isMain?: boolean }) {
  return (
    <LinkButton
      to={paths.signIn}
      variant={isMain ? 'filled' : 'subtle'}
      fullWidth
      {...(isMain ? { ref: focusOnMount } : {})}
    >
      {frAuth.backToSignIn}
    </LinkButton>
  );
}

/** A value of the page's query, such as a link's token. */
export function useQueryValue(name: string): string | undefined {
  return useLocation({ select: (location) => parseSearch(location.searchStr)[name] });
}
