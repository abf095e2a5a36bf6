import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface SuccessWithLinkProps {
  children: ReactNode;
  to: string;
  search?: Record<string, string>;
  label: string;
  /** Whether the reader may open the record. */
  canOpen?: boolean;
}

/** The success message of a form that creates a record, with a link to it. */
export function SuccessWithLink({ children, to, search, label, canOpen = true }: SuccessWithLinkProps) {
  if (!canOpen) return children;
  return (
    <>
      {children}{' '}
      <Link to={to} {...(search && { search })}>
        {label}
      </Link>
    </>
  );
}
