import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface MadeProps {
  children: ReactNode;
  to: string;
  search?: Record<string, string>;
  label: string;
}

/** The success of what makes a record, with the way to it. */
export function Made({ children, to, search, label }: MadeProps) {
  return (
    <>
      {children}{' '}
      <Link to={to} {...(search && { search })}>
        {label}
      </Link>
    </>
  );
}
