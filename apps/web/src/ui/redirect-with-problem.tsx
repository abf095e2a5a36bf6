import { Navigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { flashProblem } from '#src/lib/flash.ts';

/** Redirects to another screen, and shows there why this one did not open. */
export function RedirectWithProblem({ to, why }: { to: string; why: string }) {
  useEffect(() => flashProblem(why), [why]);
  return <Navigate to={to} replace />;
}
