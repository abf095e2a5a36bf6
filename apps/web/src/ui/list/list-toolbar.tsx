import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type HistoryState, Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { fr } from '#src/lib/fr.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import classes from './list-page.module.css';

const searchDelayMs = 250;

export interface ListTab {
  label: string;
  to: string;
  search?: Record<string, string>;
  state?: HistoryState;
  isCurrent: boolean;
  /** What waits there; empty keeps its place. */
  count?: string;
}

export function Tabs({ tabs, label = fr.list.tabs }: { tabs: readonly ListTab[]; label?: string }) {
  const nav = useRef<HTMLElement>(null);
  const current = tabs.findIndex(({ isCurrent }) => isCurrent);
  const counts = tabs.map(({ count }) => count).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the counts come later and make the tabs wider
  useEffect(() => {
    const showCurrent = () => {
      const tab = nav.current?.children[current];
      // On a phone only the row of tabs scrolls.
      if (nav.current && tab instanceof HTMLElement) {
        nav.current.scrollLeft =
          tab.offsetLeft - nav.current.offsetLeft - (nav.current.clientWidth - tab.offsetWidth) / 2;
      }
    };
    // With the frame's own layout.
    requestAnimationFrame(showCurrent);
    // The font makes the tabs wider.
    document.fonts.addEventListener('loadingdone', showCurrent);
    return () => document.fonts.removeEventListener('loadingdone', showCurrent);
  }, [current, counts]);
  return (
    <nav ref={nav} className={classes.tabs} aria-label={label}>
      {tabs.map((tab) => (
        <Link
          key={tab.label}
          to={tab.to}
          search={tab.search ?? {}}
          state={tab.state ?? {}}
          className={classes.tab}
          aria-current={tab.isCurrent ? 'page' : undefined}
          activeOptions={{ exact: true }}
        >
          <span data-text={tab.label} className={classes.tabLabel}>
            {tab.label}
          </span>{' '}
          {tab.count !== undefined && <span className={classes.tabCount}>{tab.count}</span>}
        </Link>
      ))}
    </nav>
  );
}

interface SearchBoxProps {
  inputRef: React.RefObject<HTMLInputElement | null>;
  placeholder: string;
  value: string;
  onSearch: (q: string) => void;
}

export function SearchBox({ inputRef, placeholder, value, onSearch }: SearchBoxProps) {
  const [text, setText] = useState(value);
  const timer = useRef<number>(undefined);
  const pending = useRef(false);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  // Back and "clear the filters" change the URL from outside.
  const [seen, setSeen] = useState(value);
  if (seen !== value) {
    setSeen(value);
    if (!pending.current) setText(value);
  }
  const search = (next: string, delay: number) => {
    setText(next);
    window.clearTimeout(timer.current);
    pending.current = true;
    timer.current = window.setTimeout(() => {
      pending.current = false;
      onSearch(next.trim());
    }, delay);
  };
  return (
    <TextInput
      ref={inputRef}
      type="search"
      className={classes.search}
      aria-label={fr.list.search}
      placeholder={placeholder}
      value={text}
      maxLength={200}
      leftSection={buttonIcon(IconSearch)}
      rightSection={
        text ? <CloseButton size="sm" aria-label={fr.list.clearSearch} onClick={() => search('', 0)} /> : null
      }
      onChange={(event) => search(event.currentTarget.value, searchDelayMs)}
      // A row is opened from the list that was searched: the search must not replace the row's address.
      onBlur={() => pending.current && search(text, 0)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') search(text, 0);
        if (event.key === 'Escape' && text) search('', 0);
      }}
    />
  );
}
