import { Navigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { flashProblem } from '#src/lib/flash.ts';

export function RedirectWithProblem({ to, why }: { to: string; why: string }) {
  useEffect(() => flashProblem(why), [why]);
  return <Navigate to={to} replace />;
}
