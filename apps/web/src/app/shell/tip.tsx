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
    const onMove = ({ clientX, clientY, pointerType }: PointerEvent) => {
      hide();
      if (pointerType === 'touch') return;
      rest = setTimeout(() => show(findTip(clientX, clientY)), restMs);
    };
    const onFocus = ({ target }: FocusEvent) => {
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
    document.addEventListener('pointermove', onMove);
    document.addEventListener('focusin', onFocus);
    const endings = ['pointerdown', 'keydown', 'scroll', 'focusout'] as const;
    for (const ending of endings) document.addEventListener(ending, hide, { capture: true });
    return () => {
      hide();
      document.removeEventListener('pointermove', onMove);
      document.removeEventListener('focusin', onFocus);
      for (const ending of endings) document.removeEventListener(ending, hide, { capture: true });
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
