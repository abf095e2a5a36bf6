import type { QuoteAnswer } from '@regie/contract/routes/orders.ts';
import type { Release } from '@regie/contract/routes/releases.ts';
import { IconCheck } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { paths } from '#src/app/paths.ts';
import { frNewRelease } from './new-release.fr.ts';
import classes from './new-release.module.css';

const t = frNewRelease;

const wizardSteps = ['tracks', 'plan', 'summary', 'pay'] as const;
export type WizardStep = (typeof wizardSteps)[number];
export const isWizardStep = (text: string | undefined): text is WizardStep => wizardSteps.some((step) => step === text);

interface WizardStepsProps {
  step: WizardStep;
  release: Release | undefined;
  order: QuoteAnswer['order'] | undefined;
}

export function WizardSteps({ step, release, order }: WizardStepsProps) {
  const isDone: Record<WizardStep, boolean> = {
    tracks: (release?.tracks.length ?? 0) > 0,
    plan: Boolean(order),
    summary: step === 'pay' && Boolean(order) && (release?.tracks.length ?? 0) > 0,
    pay: false,
  };
  return (
    <nav aria-label={t.steps} className={classes.stepper}>
      <ol className={classes.steps}>
        {wizardSteps.map((name, index) => {
          const isCurrent = name === step;
          const content = (
            <>
              <span className={classes.stepMark} data-done={(isDone[name] && !isCurrent) || undefined} aria-hidden>
                {isDone[name] && !isCurrent ? <IconCheck size={14} stroke={2.4} /> : index + 1}
              </span>
              <span>
                {t.step[name]}
                {isDone[name] && !isCurrent && <span className="visually-hidden">, {t.stepDone}</span>}
              </span>
            </>
          );
          return (
            <li key={name} data-current={isCurrent || undefined}>
              {release && !isCurrent ? (
                <Link to={paths.newRelease(name)} search={{ release: String(release.id) }} className={classes.stepLink}>
                  {content}
                </Link>
              ) : (
                <span
                  className={classes.stepLink}
                  aria-current={isCurrent ? 'step' : undefined}
                  data-off={!isCurrent || undefined}
                >
                  {content}
                </span>
              )}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
