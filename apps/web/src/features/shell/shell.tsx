import { ActionIcon } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand, IconMenu2, IconSearch } from '@tabler/icons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react';
import { fr } from '#src/fr.ts';
import { ageFlash, dismissFlash, useFlash } from '#src/lib/flash.ts';
import { usePreference } from '#src/lib/preferences.ts';
import { useSession } from '#src/lib/session.ts';
import { useStepUp } from '#src/lib/step-up.ts';
import { useWorkItems } from '#src/lib/work-tray.ts';
import { paths } from '#src/paths.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { Mark } from '#src/ui/splash.tsx';
import { Breadcrumbs } from './breadcrumbs.tsx';
import { OfflineBar } from './offline-bar.tsx';
import classes from './shell.module.css';
import { Sidebar } from './sidebar.tsx';

// Menus, popovers and the drawer weigh more than the rest of the frame: they come once it stands.
const AccountMenu = lazy(() => import('./account-menu.tsx').then((module) => ({ default: module.AccountMenu })));
const WorkTray = lazy(() => import('./work-tray.tsx').then((module) => ({ default: module.WorkTray })));
const SignInAgain = lazy(() => import('./sign-in-again.tsx').then((module) => ({ default: module.SignInAgain })));
const StepUpDialog = lazy(() => import('./step-up-dialog.tsx').then((module) => ({ default: module.StepUpDialog })));
const PhoneMenu = lazy(() => import('./phone-menu.tsx').then((module) => ({ default: module.PhoneMenu })));
const loadPalette = () => import('./palette.tsx').then((module) => ({ default: module.Palette }));
const Palette = lazy(loadPalette);

/** The frame of every signed-in screen: sidebar, top bar, and the page in between. */
export function Shell({ children }: { children: ReactNode }) {
  const [sidebar, setSidebar] = usePreference('sidebar', ['open', 'collapsed']);
  const isPhone = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const isNarrow = useMediaQuery('(max-width: 64em)', false, { getInitialValueInEffect: false });
  const [isDrawerOpen, drawer] = useDisclosure(false);
  const pathname = useLocation({ select: (location) => location.pathname });
  const flash = useFlash();
  const session = useSession();
  const hasWork = useWorkItems().length > 0;
  // Once wanted it stays, so that it can close.
  const stepUp = useStepUp();
  const [isStepUpWanted, setIsStepUpWanted] = useState(false);
  if (stepUp !== undefined && !isStepUpWanted) setIsStepUpWanted(true);
  const main = useRef<HTMLElement>(null);
  const lastPathname = useRef(pathname);
  const isCollapsed = isNarrow || sidebar === 'collapsed';

  // A screen reader and the Tab key start at the top of the new page; the first page keeps the browser's focus.
  useEffect(() => {
    if (lastPathname.current === pathname) return;
    lastPathname.current = pathname;
    ageFlash();
    main.current?.focus({ preventScroll: true });
  }, [pathname]);

  return (
    <div className={classes.frame} data-collapsed={isCollapsed || undefined}>
      <a href="#contenu" className="skip-link">
        {fr.shell.skip}
      </a>
      {!isPhone && (
        <aside className={classes.sidebar}>
          <Link to={paths.home} className={classes.brand} aria-label={`${fr.app} : ${fr.nav.home}`}>
            <Mark size={28} />
            {!isCollapsed && <span className={classes.brandName}>{fr.app}</span>}
          </Link>
          <Sidebar isCollapsed={isCollapsed} />
          {!isNarrow && (
            <div className={classes.sidebarFoot}>
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                aria-label={isCollapsed ? fr.shell.expand : fr.shell.collapse}
                title={isCollapsed ? fr.shell.expand : fr.shell.collapse}
                aria-expanded={!isCollapsed}
                onClick={() => setSidebar(isCollapsed ? 'open' : 'collapsed')}
              >
                {isCollapsed ? (
                  <IconLayoutSidebarLeftExpand size={19} stroke={1.6} />
                ) : (
                  <IconLayoutSidebarLeftCollapse size={19} stroke={1.6} />
                )}
              </ActionIcon>
            </div>
          )}
        </aside>
      )}
      {session.status === 'in' && session.isOver && (
        <Suspense>
          <SignInAgain />
        </Suspense>
      )}
      {isStepUpWanted && (
        <Suspense>
          <StepUpDialog />
        </Suspense>
      )}
      {isPhone && (
        <Suspense>
          <PhoneMenu isOpen={isDrawerOpen} onClose={drawer.close} />
        </Suspense>
      )}
      <div className={classes.column}>
        <header className={classes.bar}>
          {isPhone && (
            <ActionIcon variant="subtle" color="gray" size={44} aria-label={fr.shell.openMenu} onClick={drawer.open}>
              <IconMenu2 size={20} stroke={1.8} />
            </ActionIcon>
          )}
          <Breadcrumbs isShort={isPhone} />
          <div className={classes.barEnd}>
            <PaletteButton />
            {hasWork && (
              <Suspense>
                <WorkTray />
              </Suspense>
            )}
            <Suspense fallback={<span className={classes.accountPlace} />}>
              <AccountMenu />
            </Suspense>
          </div>
        </header>
        <OfflineBar />
        <main ref={main} id="contenu" tabIndex={-1} className={classes.main}>
          <div className={classes.flash}>
            {flash !== undefined && (
              <Notice tone="success" onDismiss={dismissFlash}>
                {flash}
              </Notice>
            )}
          </div>
          {children}
        </main>
      </div>
    </div>
  );
}

/** Search, by the button or by Ctrl+K from anywhere but another dialog. */
function PaletteButton() {
  const [isOpen, palette] = useDisclosure(false);
  // Loaded when it is first wanted, then it stays.
  const [isWanted, setIsWanted] = useState(false);
  const focused = useRef<Element>(null);
  const open = () => {
    focused.current = document.activeElement;
    setIsWanted(true);
    palette.open();
  };
  const close = (isGoing: boolean) => {
    palette.close();
    if (!isGoing && focused.current instanceof HTMLElement) focused.current.focus();
  };
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    const isElsewhere = !isOpen && document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;
    if (isElsewhere) return;
    event.preventDefault();
    if (isOpen) close(false);
    else open();
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event);
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
  return (
    <>
      <button
        type="button"
        className={classes.search}
        aria-label={fr.shell.search}
        aria-keyshortcuts="Control+K Meta+K"
        aria-haspopup="dialog"
        title={`${fr.shell.search} (Ctrl+K)`}
        onClick={open}
        onPointerEnter={() => void loadPalette()}
        onFocus={() => void loadPalette()}
      >
        <IconSearch size={16} stroke={1.8} aria-hidden />
        <span className={classes.searchText} aria-hidden>
          {fr.shell.search}
          <kbd>Ctrl K</kbd>
        </span>
      </button>
      {isWanted && (
        <Suspense>
          <Palette isOpen={isOpen} onClose={close} />
        </Suspense>
      )}
    </>
  );
}
