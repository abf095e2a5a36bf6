import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { paths } from '#src/app/paths.ts';
import shared from '#src/ui/shared.module.css';

/** Its card is the frame's (`TrackCard`), which finds it by `data-track`. @param isInText beside text of its size */
export function TrackLink({ id, isInText, children }: { id: number; isInText?: boolean; children: ReactNode }) {
  return (
    <Link className={isInText ? shared.textLink : shared.link} to={paths.track(id)} data-track={id}>
      {children}
    </Link>
  );
}
