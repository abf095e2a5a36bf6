import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import classes from './track-card.module.css';

const TrackCardContent = lazy(async () => ({
  default: (await import('#src/features/catalogue/releases/track-card.tsx')).TrackCardContent,
}));

const opensAfterMs = 400;
const closesAfterMs = 200;
const widthPx = 356;
const cardId = 'track-card';
/** On the focused element: Escape leaves open the dialog that it is in. */
const staysOpen = 'data-mantine-stop-propagation';

interface Shown {
  trackId: number;
  left: number;
  top: number;
  isAbove: boolean;
}

const linkAt = (target: EventTarget | null) =>
  target instanceof Element ? (target.closest<HTMLElement>('[data-track]') ?? undefined) : undefined;

/**
 * What a track is, beside a link to it that has the pointer or the focus. One card for all links. The pointer may enter
 * it, Escape closes it alone.
 */
export function TrackCard() {
  const [shown, setShown] = useState<Shown>();
  const card = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let current: HTMLElement | undefined;
    let focused: Element | null = null;
    const later = (ms: number, run: () => void) => {
      clearTimeout(timer);
      timer = setTimeout(run, ms);
    };
    const holdDialog = () => {
      focused?.removeAttribute(staysOpen);
      focused = document.activeElement;
      focused?.setAttribute(staysOpen, 'true');
    };
    const hide = () => {
      clearTimeout(timer);
      current?.removeAttribute('aria-describedby');
      focused?.removeAttribute(staysOpen);
      current = undefined;
      setShown(undefined);
    };
    const show = (link: HTMLElement) => {
      hide();
      if (!link.matches(':hover, :focus-visible')) return;
      current = link;
      link.setAttribute('aria-describedby', cardId);
      holdDialog();
      const { left, top, bottom } = link.getBoundingClientRect();
      const isAbove = bottom > window.innerHeight / 2;
      const at = { left: Math.max(0, Math.min(left, window.innerWidth - widthPx)), top: isAbove ? top : bottom };
      setShown({ trackId: Number(link.dataset.track), ...at, isAbove });
    };
    const isInside = (target: EventTarget | null) => target instanceof Node && card.current?.contains(target) === true;
    const listeners = new AbortController();
    const listen = <Type extends keyof WindowEventMap>(type: Type, listener: (event: WindowEventMap[Type]) => void) =>
      window.addEventListener(type, listener, { capture: true, signal: listeners.signal });
    listen('pointerover', ({ target, pointerType }) => {
      if (pointerType === 'touch') return;
      const link = linkAt(target);
      if (isInside(target) || (link && link === current)) clearTimeout(timer);
      else if (link) later(opensAfterMs, () => show(link));
      else if (!current?.matches(':focus-visible')) later(closesAfterMs, hide);
    });
    listen('focusin', ({ target }) => {
      const link = linkAt(target);
      if (link?.matches(':focus-visible')) later(opensAfterMs, () => show(link));
      else if (current?.matches(':hover')) holdDialog();
      else if (current) hide();
    });
    listen('pointerdown', ({ target }) => !isInside(target) && hide());
    listen('keydown', (event) => {
      if (event.key === 'Escape' && current) event.stopPropagation();
      if (event.key === 'Escape' || event.key === 'Enter') hide();
    });
    listen('scroll', hide);
    return () => {
      hide();
      listeners.abort();
    };
  }, []);
  return (
    shown && (
      <div
        ref={card}
        id={cardId}
        role="tooltip"
        className={classes.card}
        data-above={shown.isAbove || undefined}
        style={{ left: shown.left, top: shown.top }}
      >
        <div>
          <Suspense>
            <TrackCardContent key={shown.trackId} id={shown.trackId} />
          </Suspense>
        </div>
      </div>
    )
  );
}
