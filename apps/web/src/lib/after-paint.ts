const frameMs = 250;

/** Resolves after the browser has painted; after `frameMs` in a window that is not painted. */
export const afterPaint = () =>
  new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, frameMs);
  });
