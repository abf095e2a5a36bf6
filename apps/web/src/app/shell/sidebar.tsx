import { UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconHome, IconLogout, IconPlus, IconStar } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { createLink, useRouter } from '@tanstack/react-router';
import { type ComponentPropsWithRef, type KeyboardEvent, memo, useEffect, useRef } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { findScreenOf, type NavScreen, type Screen, sectionsFor } from '#src/app/screens.ts';
import { formatCount, waitingCounts } from '#src/domain/waiting.ts';
import { useShownPath } from '#src/lib/page-location.ts';
import { useCurrentPage } from '#src/lib/page-title.ts';
import { signOut, useSignedIn } from '#src/lib/session.ts';
import { frShell } from './shell.fr.ts';
import classes from './sidebar.module.css';
import { toggleChoice } from './sidebar-choices.ts';

const findEntry = (screen: Screen | undefined, entries: readonly NavScreen[]): NavScreen | undefined =>
  screen && (entries.find((entry) => entry === screen) ?? findEntry(screen.parent, entries));

/** The star is reached from its entry with the right arrow: with Tab it would double the stops of the sidebar. */
function moveInLine(event: KeyboardEvent<HTMLElement>) {
  const selector = { ArrowRight: 'button', ArrowLeft: 'a' }[event.key];
  const target = selector && event.currentTarget.closest('li')?.querySelector<HTMLElement>(selector);
  if (!target) return;
  event.preventDefault();
  target.focus();
}

/** The router marks every link to the present address as current: a favourite has two, and a record none. */
const SidebarLink = createLink(({ isCurrent, ...rest }: ComponentPropsWithRef<'a'> & { isCurrent: boolean }) => (
  <a {...rest} aria-current={isCurrent ? 'page' : undefined} />
));

const home = { to: paths.home, label: frScreens.home, icon: IconHome };

/** With this many entries, sections do not fold. */
const mostUnfolded = 12;

/** Beside the current entry when it is scrolled into view. */
const marginPx = 16;

export function Sidebar({ isCollapsed, onNavigate }: { isCollapsed: boolean; onNavigate?: () => void }) {
  const { userCapabilities, sidebar } = useSignedIn();
  const { opened, favourites } = sidebar;
  const pathname = useShownPath();
  const { parent, title } = useCurrentPage();
  const waiting = waitingCounts.useValue();
  const nav = useRef<HTMLElement>(null);
  const router = useRouter();
  // Signatories sign whatever their rights.
  const sections = sectionsFor(userCapabilities, typeof waiting?.signatures === 'number' ? [paths.signatures] : []);
  const all = sections.flatMap(({ entries }) => entries);
  const screen = findScreenOf(pathname);
  const isToCome = title === undefined && screen?.hasOwnParent;
  const current = pathname === paths.home || isToCome ? undefined : findEntry(findScreenOf(parent ?? pathname), all);
  // Until the record is known, the section of its screen is open: the sections below do not move then.
  const inUse = (current ?? screen)?.section;
  // The signatures arrive later than the others, and fold nothing.
  const isFoldable = !isCollapsed && all.filter((entry) => entry.to !== paths.signatures).length > mostUnfolded;
  const to = current?.to;

  useEffect(() => {
    const show = () => {
      const lit = to === undefined ? null : nav.current?.querySelector('[aria-current]');
      if (!lit || !nav.current) return;
      const frame = nav.current.getBoundingClientRect();
      const { top, bottom } = lit.getBoundingClientRect();
      // In the drawer the navigation is higher than the window.
      const below = bottom - Math.min(frame.bottom, window.innerHeight);
      const above = top - frame.top;
      // Not `scrollIntoView`, after which Tab starts from there.
      const scroller = nav.current.closest('[role="dialog"]') ?? nav.current;
      if (above < 0 || below > 0) scroller.scrollBy({ top: above < 0 ? above - marginPx : below + marginPx });
    };
    // With the frame's own layout.
    const showInFrame = () => requestAnimationFrame(show);
    showInFrame();
    // The router has restored the scroll position by then.
    return router.subscribe('onRendered', showInFrame);
  }, [to, router]);

  const countOf = ({ waiting: name }: NavScreen) => (name && waiting?.[name]) ?? 0;
  const pinned = favourites.flatMap((address) => all.find(({ to }) => to === address) ?? []);
  // A favourite is in two places: it is lit on top only.
  const isPinned = pinned.some(
    (entry) => entry === current || (!isCollapsed && current?.adds && entry === current.parent),
  );
  const rows = (entries: readonly NavScreen[], areFavourites = false) =>
    entries.map((entry) => {
      const add = isCollapsed ? undefined : all.find(({ adds, parent: list }) => adds && list === entry);
      const isLit = areFavourites === isPinned;
      return (
        <Line
          key={entry.to}
          {...{ entry, add, isCollapsed }}
          onClick={onNavigate}
          isAbove={areFavourites}
          count={formatCount(countOf(entry))}
          isFavourite={favourites.includes(entry.to)}
          isCurrent={isLit && entry === current}
          isAddCurrent={isLit && add !== undefined && add === current}
        />
      );
    });

  return (
    <nav
      ref={nav}
      className={classes.nav}
      aria-label={frShell.mainNavigation}
      data-collapsed={isCollapsed || undefined}
    >
      <ul className={classes.list}>
        <li className={classes.row}>
          <Entry
            entry={home}
            isCurrent={pathname === paths.home}
            onClick={onNavigate}
            isCollapsed={isCollapsed}
            count={undefined}
          />
        </li>
      </ul>
      {pinned.length > 0 && (
        <section aria-label={frShell.favourites}>
          {isCollapsed ? (
            <hr className={classes.rule} aria-hidden />
          ) : (
            <h2 className={classes.section}>{frShell.favourites}</h2>
          )}
          <ul className={classes.list}>{rows(pinned, true)}</ul>
        </section>
      )}
      {sections.map(({ section, entries }) => {
        const label = frScreens.sections[section];
        const isInUse = inUse === section;
        const isFolded = isFoldable && !isInUse && !opened.includes(section);
        const Chevron = isFolded ? IconChevronRight : IconChevronDown;
        const count = isFolded ? formatCount(entries.reduce((sum, entry) => sum + countOf(entry), 0)) : undefined;
        const lines = entries.filter(
          ({ adds, parent: list }) => isCollapsed || !adds || !entries.some((entry) => entry === list),
        );
        return (
          <section key={section} aria-label={label}>
            {isCollapsed && <hr className={classes.rule} aria-hidden />}
            <h2 className={isCollapsed ? 'visually-hidden' : classes.section}>
              {!isFoldable || isInUse ? (
                label
              ) : (
                <button
                  type="button"
                  className={classes.fold}
                  aria-expanded={!isFolded}
                  aria-label={count && frShell.waiting(label, count)}
                  data-count={count}
                  onClick={() => toggleChoice('opened', section)}
                >
                  {label}
                  <Chevron className={classes.chevron} size={14} stroke={1.7} aria-hidden />
                </button>
              )}
            </h2>
            <ul className={classes.list} hidden={isFolded}>
              {rows(lines)}
            </ul>
          </section>
        );
      })}
      <hr className={classes.rule} aria-hidden />
      <SignOut isCollapsed={isCollapsed} />
    </nav>
  );
}

function SignOut({ isCollapsed }: { isCollapsed: boolean }) {
  const queryClient = useQueryClient();
  const router = useRouter();
  const preload = () => void router.preloadRoute({ to: paths.signIn });
  return (
    <div className={classes.row}>
      <UnstyledButton
        className={classes.entry}
        title={isCollapsed ? frShell.signOut : undefined}
        onPointerEnter={preload}
        onFocus={preload}
        onClick={() => void signOut(() => queryClient.clear())}
      >
        <IconLogout size={18} stroke={1.7} aria-hidden />
        <span className={isCollapsed ? 'visually-hidden' : undefined}>{frShell.signOut}</span>
      </UnstyledButton>
    </div>
  );
}

interface EntryProps {
  entry: Pick<NavScreen, 'to' | 'label' | 'icon'>;
  isCollapsed: boolean;
  count: string | undefined;
  isCurrent: boolean;
  onClick: (() => void) | undefined;
}

function Entry({ entry: { to, label, icon: Icon }, isCollapsed, count, ...link }: EntryProps) {
  const name = count === undefined ? label : frShell.waiting(label, count);
  return (
    <SidebarLink
      {...link}
      to={to}
      className={classes.entry}
      aria-label={isCollapsed || count !== undefined ? name : undefined}
      title={isCollapsed ? name : undefined}
      data-count={count}
      onKeyDown={moveInLine}
      activeOptions={{ exact: true }}
    >
      <Icon size={18} stroke={1.7} aria-hidden />
      {!isCollapsed && <span>{label}</span>}
    </SidebarLink>
  );
}

interface LineProps extends Omit<EntryProps, 'entry'> {
  entry: NavScreen;
  add: NavScreen | undefined;
  isAddCurrent: boolean;
  isFavourite: boolean;
  /** Whether it stands among the favourites. */
  isAbove: boolean;
}

/** Every navigation renders the sidebar, twice for a record: only the lines that change are rendered with it. */
const Line = memo(function Line({ add, isAddCurrent, isFavourite, isAbove, ...rest }: LineProps) {
  const { entry, isCollapsed, onClick } = rest;
  const favourite = isFavourite ? frShell.removeFavourite(entry.label) : frShell.addFavourite(entry.label);
  return (
    <li className={classes.row}>
      <Entry {...rest} />
      {!isCollapsed && (
        <button
          type="button"
          tabIndex={-1}
          className={classes.star}
          onKeyDown={moveInLine}
          data-on={isFavourite || undefined}
          aria-label={favourite}
          title={favourite}
          onClick={({ currentTarget }) => {
            // The line goes, and the focus with it.
            if (isAbove) currentTarget.closest('nav')?.querySelector('a')?.focus({ preventScroll: true });
            toggleChoice('favourites', entry.to);
          }}
        >
          <IconStar size={16} stroke={1.7} aria-hidden />
        </button>
      )}
      {add && (
        <SidebarLink
          to={add.to}
          isCurrent={isAddCurrent}
          onClick={onClick}
          activeOptions={{ exact: true }}
          className={classes.add}
          aria-label={add.label}
          title={add.label}
        >
          <IconPlus size={16} stroke={1.7} aria-hidden />
        </SidebarLink>
      )}
    </li>
  );
});
