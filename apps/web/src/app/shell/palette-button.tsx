import { useWindowEvent } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ComponentType, useDeferredValue, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { isDialogOpen } from '#src/lib/dialogs.ts';
import classes from './palette.module.css';
import type { Palette } from './palette.tsx';
import { PaletteInput } from './palette-input.tsx';
import { frShell } from './shell.fr.ts';

/** Moves the focus, and returns it. Not `showModal`: a page made inert recomputes all its styles, which is slow. */
function show(frame: HTMLDialogElement) {
  const focused = document.activeElement;
  frame.showPopover();
  frame.querySelector('input')?.focus();
  return () => {
    frame.hidePopover();
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  };
}

/** Ctrl+K outside other dialogs. The field is part of the shell: it takes keys typed before the results are loaded. */
export function PaletteButton({ isBlocked }: { isBlocked: boolean }) {
  const [isWanted, setIsWanted] = useState(false);
  const [text, setText] = useState('');
  const [isGoing, setIsGoing] = useState(false);
  const [Results, setResults] = useState<ComponentType<Parameters<typeof Palette>[0]>>();
  const isOpen = isWanted && !isBlocked;
  // The frame and its field come first: the list of all screens takes longer to render.
  const isShown = useDeferredValue(isOpen);
  if (isWanted && isBlocked) setIsWanted(false);

  const frame = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => (isOpen && frame.current ? show(frame.current) : undefined), [isOpen]);

  const load = () => {
    import('./palette.tsx').then((module) => setResults(() => module.Palette)).catch(() => undefined);
  };
  useEffect(load, []);
  const open = () => {
    setText('');
    setIsGoing(false);
    setIsWanted(true);
    if (!Results) load();
  };
  const close = () => setIsWanted(false);
  useWindowEvent('keydown', (event) => {
    if (isOpen && event.key === 'Escape' && !event.isComposing) close();
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    if (!isOpen && (isBlocked || isDialogOpen())) return;
    event.preventDefault();
    if (isOpen) close();
    else open();
  });

  return (
    <>
      <button
        type="button"
        className={classes.button}
        aria-label={frShell.search}
        aria-keyshortcuts="Control+K Meta+K"
        aria-haspopup="dialog"
        title={`${frShell.search} (Ctrl+K)`}
        onClick={open}
      >
        <IconSearch size={16} stroke={1.8} aria-hidden />
        <span className={classes.buttonText} aria-hidden>
          {frShell.search}
          <kbd>Ctrl K</kbd>
        </span>
      </button>
      {/* Mounted closed: the first popover of a page recomputes all its styles. */}
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it too. */}
      <dialog
        ref={frame}
        popover="manual"
        className={classes.frame}
        aria-modal
        aria-label={frShell.palette}
        onClick={(event) => {
          if (event.target === event.currentTarget) close();
        }}
      >
        {Results && isShown ? (
          <Results {...{ text, setText, isGoing, setIsGoing }} onGo={close} />
        ) : (
          <div className={classes.body}>
            <PaletteInput
              isExpanded={false}
              value={text}
              onChange={(event) => {
                setText(event.currentTarget.value);
                setIsGoing(false);
              }}
              onKeyDown={(event) => {
                if (event.key === 'Enter') setIsGoing(true);
                // The results hold the focus in the dialog.
                if (event.key === 'Tab') event.preventDefault();
              }}
            />
          </div>
        )}
      </dialog>
    </>
  );
}
