import { useWindowEvent } from '@mantine/hooks';
import { type RefObject, useState } from 'react';

const inDialog = '[role="dialog"][aria-modal="true"]';

/**
 * Files that are dropped anywhere on the page or in the dialog over it; where there are several places (`data-drop`),
 * on this one. @returns whether files are held over the page
 */
export function usePageDrop(
  place: RefObject<HTMLElement | null>,
  take: (files: FileList) => void,
  isDisabled = false,
): boolean {
  const [isOver, setIsOver] = useState(false);
  const find = () => {
    const places = [...(document.querySelector(inDialog) ?? document).querySelectorAll('[data-drop]')];
    const isThere = !isDisabled && places.some((one) => one === place.current);
    return { isThere, isOnly: isThere && places.length === 1 };
  };
  useWindowEvent('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    setIsOver(find().isThere);
  });
  useWindowEvent('dragleave', (event) => {
    if (event.relatedTarget === null) setIsOver(false);
  });
  useWindowEvent('drop', (event) => {
    setIsOver(false);
    if (!event.dataTransfer?.types.includes('Files')) return;
    // The browser would open the file.
    event.preventDefault();
    const { isThere, isOnly } = find();
    const isHere = isThere && event.target instanceof Node && place.current?.contains(event.target);
    if (isOnly || isHere) take(event.dataTransfer.files);
  });
  return isOver;
}
