import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

interface SuccessWithLinkProps {
  children: ReactNode;
  to: string;
  search?: Record<string, string>;
  label: string;
  canOpen?: boolean;
}

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
