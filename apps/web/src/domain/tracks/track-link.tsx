import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { paths } from '#src/app/paths.ts';
import shared from '#src/ui/shared.module.css';

export function TrackLink({ id, releaseId, children }: { id: number; releaseId: number; children: ReactNode }) {
  return (
    <Link className={shared.link} to={paths.release(releaseId)} search={{ titre: String(id) }}>
      {children}
    </Link>
  );
}
