import { Box, Group } from '@mantine/core';
import { useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { paths } from '#src/app/paths.ts';
import { fr } from '#src/lib/fr.ts';
import { parseSearch } from '#src/lib/search-params.ts';
import { LinkButton } from '#src/ui/link-button.tsx';
import shared from '#src/ui/shared.module.css';
import { Mark } from '#src/ui/splash.tsx';
import { frAuth } from './auth.fr.ts';
import classes from './auth-frame.module.css';

export function AuthFrame({ title, text, children }: { title: string; text?: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${fr.app}`;
  }, [title]);
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <Group gap={12} mb={28} fz={20} fw={700} lts="-0.02em" wrap="nowrap">
          <Mark size={40} />
          <span>{fr.app}</span>
        </Group>
        <Box component="h1" fz={20} fw={650} lts="-0.01em">
          {title}
        </Box>
        {text && (
          <Box component="p" mt={4} lh={1.5} className={shared.muted}>
            {text}
          </Box>
        )}
        <Box mt={20}>{children}</Box>
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
      ref={isMain ? focusOnMount : undefined}
    >
      {frAuth.backToSignIn}
    </LinkButton>
  );
}

export const useQueryValue = (name: string): string | undefined =>
  useLocation({ select: (location) => parseSearch(location.searchStr)[name] });
