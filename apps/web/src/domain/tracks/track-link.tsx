import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { paths } from '#src/app/paths.ts';
import shared from '#src/ui/shared.module.css';

/** Its card is the frame's (`TrackCard`), which finds it by `data-track`. */
export function TrackLink({ id, children }: { id: number; children: ReactNode }) {
  return (
    <Link className={shared.link} to={paths.track(id)} data-track={id}>
      {children}
    </Link>
  );
}
