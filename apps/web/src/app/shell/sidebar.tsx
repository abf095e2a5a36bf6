import { UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconHome, IconLogout, IconPlus, IconStar } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { createLink, useRouter } from '@tanstack/react-router';
import { type ComponentPropsWithRef, type ComponentType, type KeyboardEvent, useEffect, useRef } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { findScreenOf, type NavScreen, type Screen, sectionsFor } from '#src/app/screens.ts';
import { formatCount, waitingCounts } from '#src/domain/waiting.ts';
import { useShownPath } from '#src/lib/page-location.ts';
import { useCurrentPage } from '#src/lib/page-title.ts';
import { signOut, useSignedIn } from '#src/lib/session.ts';
import { frShell } from './shell.fr.ts';
import classes from './sidebar.module.css';
import { useSidebarChoices } from './sidebar-choices.ts';

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

/** With this many entries, sections do not fold. */
const mostUnfolded = 12;

/** Beside the current entry when it is scrolled into view. */
const marginPx = 16;

export function Sidebar({ isCollapsed, onNavigate }: { isCollapsed: boolean; onNavigate?: () => void }) {
  const { userCapabilities } = useSignedIn();
  const pathname = useShownPath();
  const { parent, title } = useCurrentPage();
  const waiting = waitingCounts.useValue();
  const { opened, favourites, toggle } = useSidebarChoices();
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
  const linkTo = (entry: NavScreen, isFavourite: boolean) => ({
    to: entry.to,
    isCurrent: entry === current && isFavourite === isPinned,
    onClick: onNavigate,
    activeOptions: { exact: true },
  });
  const rows = (entries: readonly NavScreen[], areFavourites = false) =>
    entries.map((entry) => {
      const { label, icon, to: address } = entry;
      const add = isCollapsed ? undefined : all.find(({ adds, parent: list }) => adds && list === entry);
      const isFavourite = favourites.includes(address);
      const favourite = isFavourite ? frShell.removeFavourite(label) : frShell.addFavourite(label);
      return (
        <li key={address} className={classes.row}>
          <Entry
            {...linkTo(entry, areFavourites)}
            {...{ label, icon, isCollapsed }}
            count={formatCount(countOf(entry))}
          />
          {!isCollapsed && (
            <button
              type="button"
              tabIndex={-1}
              className={classes.star}
              onKeyDown={moveInLine}
              data-on={isFavourite || undefined}
              aria-label={favourite}
              title={favourite}
              onClick={() => {
                // The line goes, and the focus with it.
                if (areFavourites) nav.current?.querySelector('a')?.focus({ preventScroll: true });
                toggle('favourites', address);
              }}
            >
              <IconStar size={16} stroke={1.7} aria-hidden />
            </button>
          )}
          {add && (
            <SidebarLink
              {...linkTo(add, areFavourites)}
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
            to={paths.home}
            label={frScreens.home}
            icon={IconHome}
            isCurrent={pathname === paths.home}
            onClick={onNavigate}
            isCollapsed={isCollapsed}
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
                  onClick={() => toggle('opened', section)}
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
  to: string;
  label: string;
  icon: ComponentType<{ size?: number; stroke?: number }>;
  isCollapsed: boolean;
  count?: string;
  isCurrent: boolean;
  onClick: (() => void) | undefined;
}

function Entry({ label, icon: Icon, isCollapsed, count, ...link }: EntryProps) {
  const name = count === undefined ? label : frShell.waiting(label, count);
  return (
    <SidebarLink
      {...link}
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
