/**
 * For what may be disabled or removed while it has the focus. @returns what gives the focus to it or to what is left of
 * the page around it, if nothing has got the focus since and nothing has it, once a closed dialog has returned it
 */
export function watchFocus(element: EventTarget | null) {
  const places: HTMLElement[] = [];
  for (let at = element instanceof HTMLElement ? element : null; at; at = at.parentElement) places.push(at);
  let hasMoved = false;
  const onMove = () => {
    hasMoved = true;
  };
  document.addEventListener('focusin', onMove, { once: true });
  const check = () => {
    if (hasMoved || document.activeElement !== document.body) return;
    const main = document.querySelector('main');
    const left = places.find((place) => place.isConnected && !place.matches(':disabled'));
    const place = left === element || main?.contains(left ?? null) ? left : main;
    if (place !== element && place !== main) {
      place?.setAttribute('tabindex', '-1');
      place?.addEventListener('blur', () => place.removeAttribute('tabindex'), { once: true });
    }
    place?.focus({ preventScroll: true });
  };
  return () => {
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(check, 100)));
  };
}
