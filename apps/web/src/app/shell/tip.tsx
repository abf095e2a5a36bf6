import { useEffect, useId, useState } from 'react';
import classes from './tip.module.css';

const restMs = 300;
const padPx = 10;
const minWidthPx = 320;

function isCut(element: Element): element is HTMLElement {
  const { textOverflow, webkitLineClamp } = getComputedStyle(element);
  if (textOverflow !== 'ellipsis' && webkitLineClamp === 'none') return false;
  return element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight + 1;
}

const tipOf = (element: Element | null): element is HTMLElement & { dataset: { tip: string } } =>
  element instanceof HTMLElement && element.dataset.tip !== undefined;

/** What a dialog covers has no tip. */
function underPointer(x: number, y: number): Element[] {
  const all = document.elementsFromPoint(x, y);
  const cover = all.findIndex((element) => element.matches('.mantine-Overlay-root'));
  return cover === -1 ? all : all.slice(0, cover);
}

interface ShownTip {
  text: string;
  /** The element with a `data-tip` of its own, which the tip describes. */
  of: HTMLElement | undefined;
  style: { left?: number; right?: number; top: number; width?: number };
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
    of?.setAttribute('aria-describedby', id);
    return () => of?.removeAttribute('aria-describedby');
  }, [of, id]);
  useEffect(() => {
    let rest: ReturnType<typeof setTimeout> | undefined;
    const hide = () => {
      clearTimeout(rest);
      setTip(undefined);
    };
    const show = (element: HTMLElement | undefined, isInPlace = false) => {
      const hasTip = element !== undefined && tipOf(element);
      const text = hasTip ? element.dataset.tip : element?.innerText.trim();
      if (!element || !text) return;
      const of = hasTip ? element : undefined;
      const { left, right, top, bottom, width } = element.getBoundingClientRect();
      if (isInPlace) {
        setTip({ text, of, style: { left: left - padPx, top, width: width + 2 * padPx }, isAbove: false });
        return;
      }
      const isAbove = bottom > window.innerHeight / 2;
      const side = left > window.innerWidth - minWidthPx ? { right: window.innerWidth - right } : { left };
      setTip({ text, of, style: { ...side, top: isAbove ? top : bottom }, isAbove });
    };
    const onMove = ({ clientX, clientY, pointerType }: PointerEvent) => {
      hide();
      if (pointerType === 'touch') return;
      const hasTip = (element: Element): element is HTMLElement => tipOf(element) || isCut(element);
      rest = setTimeout(() => show(underPointer(clientX, clientY).find(hasTip)), restMs);
    };
    const onFocus = ({ target }: FocusEvent) => {
      hide();
      if (!(target instanceof HTMLElement)) return;
      const isByKey = target.matches(':focus-visible');
      // A tap focuses an amount, and acts on a button.
      if (tipOf(target)) return isByKey || !target.matches('a, button') ? show(target) : undefined;
      const row = isByKey ? target.closest('[data-row]') : null;
      show([...(row?.querySelectorAll('*') ?? [])].find(isCut), true);
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
