export const focusPage = () => document.querySelector('main')?.focus({ preventScroll: true });

/** Calls back if nothing has the focus, after the frame in which a dialog closes: a little later it returns the focus itself. */
export function whenFocusIsLost(onLost: () => void): void {
  const check = () => {
    if (document.activeElement === document.body) onLost();
  };
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(check, 100)));
}
