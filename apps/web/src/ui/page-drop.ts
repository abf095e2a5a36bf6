import { useWindowEvent } from '@mantine/hooks';
import { type RefObject, useState } from 'react';

/**
 * Files that are dropped anywhere on the page or in the dialog over it; where there are several places (`data-drop`),
 * on this one. @returns whether files are held over it
 */
export function usePageDrop(
  place: RefObject<HTMLElement | null>,
  take: (files: FileList) => void,
  isDisabled = false,
): boolean {
  const [isOver, setIsOver] = useState(false);
  const isFor = ({ target }: DragEvent) => {
    const places = (document.querySelector('[role="dialog"][aria-modal="true"]') ?? document).querySelectorAll(
      '[data-drop]',
    );
    const isOnly = places.length === 1 && places[0] === place.current;
    return !isDisabled && (isOnly || (target instanceof Node && place.current?.contains(target) === true));
  };
  useWindowEvent('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    setIsOver(isFor(event));
  });
  useWindowEvent('dragleave', (event) => {
    if (event.relatedTarget === null) setIsOver(false);
  });
  useWindowEvent('drop', (event) => {
    setIsOver(false);
    if (!event.dataTransfer?.types.includes('Files')) return;
    // The browser would open the file.
    event.preventDefault();
    if (isFor(event)) take(event.dataTransfer.files);
  });
  return isOver;
}
