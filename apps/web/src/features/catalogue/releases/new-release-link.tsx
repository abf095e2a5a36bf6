import type { ReactNode } from 'react';
import { paths } from '#src/app/paths.ts';
import { LinkButton } from '#src/ui/link-button.tsx';
import type { WizardStep } from './new-release-steps.tsx';

interface WizardLinkProps {
  step: WizardStep;
  releaseId?: number;
  variant?: 'filled' | 'default';
  children: ReactNode;
  leftSection?: ReactNode;
  'aria-label'?: string;
}

export function WizardLink({ step, releaseId, variant = 'filled', children, ...rest }: WizardLinkProps) {
  return (
    <LinkButton
      to={paths.newRelease(step)}
      search={releaseId === undefined ? {} : { release: String(releaseId) }}
      variant={variant}
      {...rest}
    >
      {children}
    </LinkButton>
  );
}
