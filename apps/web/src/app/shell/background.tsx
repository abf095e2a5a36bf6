import { useWindowEvent } from '@mantine/hooks';
import { routes } from '@regie/contract/routes.ts';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useEffectEvent, useRef } from 'react';
import { waitingCounts } from '#src/domain/waiting.ts';
import { apiQuery } from '#src/lib/api.ts';
import { watchFocus } from '#src/lib/focus.ts';
import { isElsewhere, useShortcutsPreference } from '#src/lib/key-shortcuts.ts';
import { isSessionOver, useSignedIn } from '#src/lib/session.ts';
import { findGoTarget, letterOf } from './go-keys.ts';
import { shortcutsDialog } from './shell-state.ts';
import { Tip } from './tip.tsx';
import { TrackCard } from './track-card.tsx';

const ShortcutsDialog = lazy(() =>
  import('./shortcuts-dialog.tsx').then((module) => ({ default: module.ShortcutsDialog })),
);

const countEveryMs = 60_000;
/** Without input for so long, counting stops: an unattended session still ends (product §31.8). */
const idleAfterMs = 10 * 60_000;
const goWithinMs = 1500;

/** Parts of the frame that are needed when the network is gone, or a new version has replaced their files. */
const parts = [
  () => import('./work-tray.tsx'),
  () => import('./sign-in-again.tsx'),
  () => import('./step-up-dialog.tsx'),
  () => import('#src/ui/leave-modal.tsx'),
];

/** An act often removes its own button: the keyboard goes on in the page, not before it. */
function keepFocus({ target }: FocusEvent) {
  const mend = watchFocus(target);
  setTimeout(() => target instanceof Node && !target.isConnected && mend());
}

export function Background() {
  useWaitingCounts();
  useKeys();
  useWindowEvent('focusout', keepFocus);
  useEffect(() => {
    for (const load of parts) void load().catch(() => undefined);
  }, []);
  const opener = shortcutsDialog.useValue();
  const close = () => {
    shortcutsDialog.set(undefined);
    opener?.focus({ preventScroll: true });
  };
  return (
    <>
      <Tip />
      <TrackCard />
      {opener && (
        <Suspense>
          <ShortcutsDialog onClose={close} />
        </Suspense>
      )}
    </>
  );
}

function useWaitingCounts(): void {
  const { needsFactor } = useSignedIn();
  const { data, refetch } = useQuery({ ...apiQuery(['waiting'], routes.getWaiting), enabled: !needsFactor });
  useEffect(() => waitingCounts.set(data), [data]);
  useEffect(() => () => waitingCounts.set(undefined), []);

  const lastInput = useRef(Date.now());
  const onTick = useEffectEvent(() => {
    const isIdle = Date.now() - lastInput.current > idleAfterMs;
    if (!needsFactor && !isIdle && !document.hidden && !isSessionOver()) void refetch();
  });
  useEffect(() => {
    const timer = setInterval(() => onTick(), countEveryMs);
    return () => clearInterval(timer);
  }, []);
  const onInput = () => {
    lastInput.current = Date.now();
  };
  useWindowEvent('pointerdown', onInput, true);
  useWindowEvent('keydown', onInput, true);
}

function useKeys(): void {
  const { userCapabilities } = useSignedIn();
  const [shortcuts] = useShortcutsPreference();
  const router = useRouter();
  const goUntil = useRef(0);
  // Captured, before the keys of lists: the letter after g is not theirs.
  const onKey = (event: KeyboardEvent) => {
    if (shortcuts === 'off') return;
    const isGoing = event.timeStamp < goUntil.current;
    if (!/^(Shift|CapsLock)$/.test(event.key)) goUntil.current = 0;
    if (isElsewhere(event) || event.repeat) return;
    const letter = letterOf(event);
    const target = isGoing ? findGoTarget(letter, userCapabilities) : undefined;
    if (target) void router.navigate({ to: target.to });
    else if (event.key === '?') {
      shortcutsDialog.set(event.target instanceof HTMLElement ? event.target : document.body);
    } else if (letter === 'g') goUntil.current = event.timeStamp + goWithinMs;
    else return;
    event.preventDefault();
  };
  useWindowEvent('keydown', onKey, true);
}
