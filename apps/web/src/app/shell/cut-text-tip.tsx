import { useEffect, useState } from 'react';
import classes from './cut-text-tip.module.css';

const restMs = 300;
const padPx = 10;
const minWidthPx = 320;

function isCut(element: Element): element is HTMLElement {
  const { textOverflow, webkitLineClamp } = getComputedStyle(element);
  if (textOverflow !== 'ellipsis' && webkitLineClamp === 'none') return false;
  return element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight + 1;
}

interface Tip {
  text: string;
  left: number;
  top: number;
  width?: number;
  isAbove: boolean;
}

/** Shows a cut text whole. One tip for all: in a row, the link covers the text, which is never hovered itself. */
export function CutTextTip() {
  const [tip, setTip] = useState<Tip>();
  useEffect(() => {
    let rest: ReturnType<typeof setTimeout> | undefined;
    const hide = () => {
      clearTimeout(rest);
      setTip(undefined);
    };
    const show = (element: HTMLElement | undefined, isInPlace = false) => {
      const text = element?.innerText.trim();
      if (!element || !text) return;
      const { left, top, bottom, width } = element.getBoundingClientRect();
      if (isInPlace) {
        setTip({ text, left: left - padPx, top, width: width + 2 * padPx, isAbove: false });
        return;
      }
      const isAbove = bottom > window.innerHeight / 2;
      setTip({ text, left: Math.min(left, window.innerWidth - minWidthPx), top: isAbove ? top : bottom, isAbove });
    };
    const onMove = ({ clientX, clientY, pointerType }: PointerEvent) => {
      hide();
      if (pointerType === 'touch') return;
      rest = setTimeout(() => show(document.elementsFromPoint(clientX, clientY).find(isCut)), restMs);
    };
    const onFocus = ({ target }: FocusEvent) => {
      hide();
      const row = target instanceof Element && target.matches(':focus-visible') ? target.closest('[data-row]') : null;
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
        aria-hidden
        className={classes.tip}
        data-above={tip.isAbove || undefined}
        data-over={tip.width !== undefined || undefined}
        style={{ left: tip.left, top: tip.top, width: tip.width }}
      >
        {tip.text}
      </div>
    )
  );
}
