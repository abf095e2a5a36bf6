import { useEffect, useId, useState } from 'react';
import classes from './tip.module.css';

const restMs = 300;
const padPx = 10;
const maxWidthPx = 480;
const marginPx = 16;

function isCut(element: Element): element is HTMLElement {
  const { textOverflow, webkitLineClamp } = getComputedStyle(element);
  if (textOverflow !== 'ellipsis' && webkitLineClamp === 'none') return false;
  return element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight + 1;
}

const tipOf = (element: Element | null): element is HTMLElement & { dataset: { tip: string } } =>
  element instanceof HTMLElement && element.dataset.tip !== undefined;

const hasTip = (element: Element): element is HTMLElement => tipOf(element) || isCut(element);

/** What a menu, a bar or a dialog covers has no tip; what the link of its row covers has. */
function findTip(x: number, y: number): HTMLElement | undefined {
  const all = document.elementsFromPoint(x, y);
  const [top = null] = all;
  const row = top?.closest('[data-row]') ?? null;
  return all.filter((element) => element.contains(top) || row?.contains(element)).find(hasTip);
}

interface ShownTip {
  text: string;
  /** The element with a `data-tip` of its own, which the tip describes. */
  of: HTMLElement | undefined;
  style: { left?: number; right?: number; top: number; width?: number; maxWidth?: number };
  isAbove: boolean;
}

/**
 * Shows an element's `data-tip`, or a cut text whole. One tip for all: a tooltip for each amount or button would be a
 * third of what a list renders; and in a row the link covers a text, which is never hovered itself.
 */
export function Tip() {
  const [tip, setTip] = useState<ShownTip>();
  const of = tip?.of;
  const id = useId();
  useEffect(() => {
    // A tip that repeats the name would be announced twice.
    if (!of || of.ariaLabel === of.dataset.tip) return;
    of.setAttribute('aria-describedby', id);
    return () => of.removeAttribute('aria-describedby');
  }, [of, id]);
  useEffect(() => {
    let rest: ReturnType<typeof setTimeout> | undefined;
    const hide = () => {
      clearTimeout(rest);
      setTip(undefined);
    };
    const show = (element: HTMLElement | undefined, isInPlace = false) => {
      const of = element && tipOf(element) ? element : undefined;
      const text = of ? of.dataset.tip : element?.innerText.trim();
      if (!element || !text) return;
      const { left, right, top, bottom, width } = element.getBoundingClientRect();
      if (isInPlace) {
        setTip({ text, of, style: { left: left - padPx, top, width: width + 2 * padPx }, isAbove: false });
        return;
      }
      const isAbove = bottom > window.innerHeight / 2;
      // To the side with more room.
      const room = window.innerWidth - left;
      const side = right > room ? { right: window.innerWidth - right } : { left };
      const maxWidth = Math.min(maxWidthPx, Math.max(right, room) - marginPx);
      setTip({ text, of, style: { ...side, top: isAbove ? top : bottom, maxWidth }, isAbove });
    };
    let pointer: [x: number, y: number] | undefined;
    const wait = () => {
      hide();
      const [x, y] = pointer ?? [];
      if (x !== undefined && y !== undefined) rest = setTimeout(() => show(findTip(x, y)), restMs);
    };
    const onMove = ({ clientX, clientY, pointerType }: PointerEvent) => {
      pointer = pointerType === 'touch' ? undefined : [clientX, clientY];
      wait();
    };
    /** What keys scroll under a resting pointer was not pointed at. */
    const onEnd = () => {
      pointer = undefined;
      hide();
    };
    const onFocus = ({ target }: Pick<FocusEvent, 'target'>) => {
      hide();
      if (!(target instanceof HTMLElement)) return;
      const isByKey = target.matches(':focus-visible');
      // A tap focuses an amount, and acts on a button that is not disabled.
      const acts = target.matches('a, button:not([aria-disabled="true"])');
      if (tipOf(target)) return isByKey || !acts ? show(target) : undefined;
      if (!isByKey) return;
      const row = target.closest('[data-row]');
      show([target, ...(row ?? target).querySelectorAll<HTMLElement>('*')].find(isCut), row !== null);
    };
    const onScroll = () => {
      const target = document.activeElement;
      // The focus has scrolled its element into the window.
      if (!pointer && target?.matches(':focus-visible')) onFocus({ target });
      else wait();
    };
    const ends = new AbortController();
    const { signal } = ends;
    document.addEventListener('pointermove', onMove, { signal });
    document.addEventListener('focusin', onFocus, { signal });
    document.addEventListener('scroll', onScroll, { signal, capture: true });
    for (const ending of ['pointerdown', 'keydown', 'focusout'] as const)
      document.addEventListener(ending, onEnd, { signal, capture: true });
    return () => {
      hide();
      ends.abort();
    };
  }, []);
  return (
    tip && (
      <div
        {...(of ? { id, role: 'tooltip' } : { 'aria-hidden': true })}
        className={classes.tip}
        data-above={tip.isAbove || undefined}
        data-over={tip.style.width !== undefined || undefined}
        style={tip.style}
      >
        {tip.text}
      </div>
    )
  );
}
