import { Stack } from '@mantine/core';
import type { QuoteAnswer } from '@regie/contract/routes/orders.ts';
import type { Release } from '@regie/contract/routes/releases.ts';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useLocation } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { ReleaseBadge } from '#src/domain/release-badge.tsx';
import { parseSearch } from '#src/lib/search-params.ts';
import { Loaded } from '#src/ui/loaded.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { NotFound, PageSkeleton, RightGate } from '#src/ui/states.tsx';
import { frNewRelease } from './new-release.fr.ts';
import { isWizardStep, type WizardStep, WizardSteps } from './new-release-steps.tsx';
import { fullTitle } from './release-labels.ts';
import { quoteQuery, releaseQuery } from './releases.api.ts';

const t = frNewRelease;

// Steps are loaded on demand: only the last one may load the card form.
const DraftStep = lazy(() => import('./new-release-draft.tsx').then((module) => ({ default: module.DraftStep })));
const PlanStep = lazy(() => import('./new-release-plan.tsx').then((module) => ({ default: module.PlanStep })));
const SummaryStep = lazy(() => import('./new-release-summary.tsx').then((module) => ({ default: module.SummaryStep })));
const PayStep = lazy(() => import('./new-release-pay.tsx').then((module) => ({ default: module.PayStep })));

const prefix = paths.newRelease('tracks').replace(/tracks$/, '');

/** Step and draft from the URL. The URL changes before the page unmounts: the last wizard path is kept. */
function useWizardAddress() {
  const address = useLocation({
    select: ({ pathname, searchStr }) =>
      pathname.startsWith(prefix)
        ? `${pathname.slice(prefix.length)} ${parseSearch(searchStr).release ?? ''}`
        : undefined,
  });
  const [lastAddress, setLastAddress] = useState(address ?? '');
  if (address !== undefined && address !== lastAddress) setLastAddress(address);
  const [step, release = ''] = (address ?? lastAddress).split(' ');
  return { step, id: /^[1-9]\d{0,15}$/.test(release) ? Number(release) : undefined };
}

/** The wizard (product §34.6): each step saves the draft, whose id is in the URL, so that a link resumes it. */
export default function NewReleasePage() {
  const { step, id } = useWizardAddress();
  if (!isWizardStep(step)) return <NotFound />;
  if (id !== undefined) return <WizardLoader key={id} id={id} step={step} />;
  return step === 'tracks' ? <NewDraft /> : <Navigate to={paths.newRelease('tracks')} replace />;
}

function NewDraft() {
  return (
    <>
      <PageHeader title={frScreens.releases.new} isPageTitle={false} />
      <WizardSteps step="tracks" release={undefined} order={undefined} />
      <Stack gap={20} mt={20} maw={760}>
        <Suspense fallback={<PageSkeleton shape="form" isBody />}>
          <DraftStep release={undefined} />
        </Suspense>
      </Stack>
    </>
  );
}

function WizardLoader({ id, step }: { id: number; step: WizardStep }) {
  const release = useQuery(releaseQuery(id));
  const quote = useQuery(quoteQuery(id));
  return (
    <Loaded query={release}>
      {(release) => (
        <RightGate isAllowed={release.canEdit}>
          <Loaded query={quote}>{(quote) => <Wizard release={release} quote={quote} step={step} />}</Loaded>
        </RightGate>
      )}
    </Loaded>
  );
}

function Wizard({ release, quote, step }: { release: Release; quote: QuoteAnswer; step: WizardStep }) {
  const isPaid = quote.order?.isPaid === true;
  // For an existing release, the steps only order and pay.
  const isDraft = release.status === 'DRAFT';
  // When paid during the last step, that step shows it and links on.
  const [wasPaid] = useState(isPaid);
  if (wasPaid || (isPaid && step !== 'pay')) return <Navigate to={paths.release(release.id)} replace />;
  return (
    <>
      <PageHeader
        title={isDraft ? t.titleOf(fullTitle(release)) : t.orderOf(fullTitle(release))}
        badge={<ReleaseBadge status={release.status} />}
        isPageTitle={!isDraft}
      />
      <WizardSteps step={step} release={release} order={quote.order ?? undefined} />
      <Stack gap={20} mt={20} maw={760}>
        <Suspense fallback={<PageSkeleton shape="form" isBody />}>
          {step === 'tracks' && <DraftStep release={release} />}
          {step === 'plan' && <PlanStep release={release} quote={quote} />}
          {step === 'summary' && <SummaryStep release={release} order={quote.order} />}
          {step === 'pay' && <PayStep release={release} order={quote.order} />}
        </Suspense>
      </Stack>
    </>
  );
}
