export const focusPage = () => document.querySelector('main')?.focus({ preventScroll: true });

/** @returns what calls back if nothing has got the focus since and nothing has it, once a closed dialog has returned it */
export function watchFocus() {
  let hasMoved = false;
  const onMove = () => {
    hasMoved = true;
  };
  document.addEventListener('focusin', onMove, { once: true });
  return (onLost: () => void) => {
    const check = () => {
      if (!hasMoved && document.activeElement === document.body) onLost();
    };
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(check, 100)));
  };
}
