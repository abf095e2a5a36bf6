import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { paths } from '#src/app/paths.ts';
import { useCan } from '#src/lib/session.ts';
import shared from '#src/ui/shared.module.css';

export function AccountLink({ id, children }: { id: number; children: ReactNode }) {
  if (!useCan()('manage_profiles')) return children;
  return (
    <Link className={shared.link} to={paths.profile(id)}>
      {children}
    </Link>
  );
}
