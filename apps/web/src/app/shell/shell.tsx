import { Box, Group } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand, IconMenu2 } from '@tabler/icons-react';
import { CatchBoundary, Link } from '@tanstack/react-router';
import { lazy, type ReactNode, type RefObject, Suspense, useLayoutEffect, useRef, useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { frEntry as fr } from '#src/lib/entry.fr.ts';
import { advanceFlash, dismissFlash, useFlash } from '#src/lib/flash.ts';
import { useIsPhone } from '#src/lib/is-phone.ts';
import { useShownPath } from '#src/lib/page-location.ts';
import { usePreference } from '#src/lib/preferences.ts';
import { useSession } from '#src/lib/session.ts';
import { useStepUp } from '#src/lib/step-up.ts';
import { useNavigationConfirmation } from '#src/lib/unsaved-changes.ts';
import { useWorkItems } from '#src/lib/work-tray.ts';
import { Notice, Toasts } from '#src/ui/alerts.tsx';
import { Mark } from '#src/ui/splash.tsx';
import { Breadcrumbs } from './breadcrumbs.tsx';
import { OfflineBar } from './offline-bar.tsx';
import { PaletteButton } from './palette-button.tsx';
import { frShell } from './shell.fr.ts';
import classes from './shell.module.css';
import { Sidebar } from './sidebar.tsx';

// Menus, popovers and the drawer are larger than the rest of the frame: they are loaded afterwards.
const AccountMenu = lazy(() => import('./account-menu.tsx').then((module) => ({ default: module.AccountMenu })));
const WorkTray = lazy(() => import('./work-tray.tsx').then((module) => ({ default: module.WorkTray })));
const SignInAgain = lazy(() => import('./sign-in-again.tsx').then((module) => ({ default: module.SignInAgain })));
const StepUpDialog = lazy(() => import('./step-up-dialog.tsx').then((module) => ({ default: module.StepUpDialog })));
const LeaveModal = lazy(() => import('#src/ui/leave-modal.tsx').then((module) => ({ default: module.LeaveModal })));
const Background = lazy(() => import('./background.tsx').then((module) => ({ default: module.Background })));
const PhoneMenu = lazy(() => import('./phone-menu.tsx').then((module) => ({ default: module.PhoneMenu })));

/** The first filled button, as in `app.css`. */
const primaryAction = '.mantine-Button-root:is(:not([data-variant]), [data-variant="filled"]):not(:disabled)';

/** Some actions are in the page twice, for wide and narrow windows. */
const focusAction = () =>
  [...document.querySelectorAll<HTMLElement>(`#contenu ${primaryAction}`)]
    .find((button) => button.checkVisibility())
    ?.focus();

export function Shell({ children }: { children: ReactNode }) {
  const [sidebar, setSidebar] = usePreference('sidebar', ['open', 'collapsed']);
  const isPhone = useIsPhone();
  const isNarrow = useMediaQuery('(max-width: 64em)', false, { getInitialValueInEffect: false });
  const [isDrawerOpen, drawer] = useDisclosure(false);
  const flash = useFlash();
  const session = useSession();
  const isSessionOver = session.status === 'in' && session.isOver === true;
  const hasWork = useWorkItems().length > 0;
  // Stays mounted after its first opening, so that it can close with a transition.
  const stepUp = useStepUp();
  const [isStepUpWanted, setIsStepUpWanted] = useState(false);
  if (stepUp !== undefined && !isStepUpWanted) setIsStepUpWanted(true);
  const main = useRef<HTMLElement>(null);
  const isCollapsed = isNarrow || sidebar === 'collapsed';

  return (
    <div className={classes.frame} data-collapsed={isCollapsed || undefined}>
      <a href="#contenu" className="skip-link">
        {frShell.skip}
      </a>
      {!isPhone && (
        <aside className={classes.sidebar}>
          <Link to={paths.home} className={classes.brand} aria-label={`${fr.app}\u00a0: ${frScreens.home}`}>
            <Mark size={28} />
            {!isCollapsed && (
              <Box component="span" fz={17} fw={700} lts="-0.02em">
                {fr.app}
              </Box>
            )}
          </Link>
          <Sidebar isCollapsed={isCollapsed} />
          {!isNarrow && (
            <div className={classes.sidebarFoot}>
              <button
                type="button"
                className={classes.button}
                aria-label={isCollapsed ? frShell.expand : frShell.collapse}
                title={isCollapsed ? frShell.expand : frShell.collapse}
                aria-expanded={!isCollapsed}
                onClick={() => setSidebar(isCollapsed ? 'open' : 'collapsed')}
              >
                {isCollapsed ? (
                  <IconLayoutSidebarLeftExpand size={19} stroke={1.6} />
                ) : (
                  <IconLayoutSidebarLeftCollapse size={19} stroke={1.6} />
                )}
              </button>
            </div>
          )}
        </aside>
      )}
      <PageStart main={main} />
      <LeaveQuestion />
      <Part>
        <Background />
      </Part>
      {isSessionOver && (
        <Part>
          <SignInAgain />
        </Part>
      )}
      {isStepUpWanted && (
        <Part>
          <StepUpDialog />
        </Part>
      )}
      {isPhone && (
        <Part>
          <PhoneMenu isOpen={isDrawerOpen} onClose={drawer.close} />
        </Part>
      )}
      <div className={classes.column}>
        <header className={classes.bar}>
          {isPhone && (
            <button type="button" className={classes.button} aria-label={frShell.openMenu} onClick={drawer.open}>
              <IconMenu2 size={20} stroke={1.8} />
            </button>
          )}
          <Breadcrumbs isShort={isPhone} />
          <Group flex="none" gap={8} ml="auto" wrap="nowrap">
            <PaletteButton isBlocked={isSessionOver} />
            {hasWork && (
              <Part>
                <WorkTray />
              </Part>
            )}
            <Part fallback={<span className={classes.accountPlace} />}>
              <AccountMenu />
            </Part>
          </Group>
        </header>
        <OfflineBar />
        <main ref={main} id="contenu" tabIndex={-1} className={classes.main}>
          {/* A new page has the focus: its first Tab is here. */}
          <button type="button" className="skip-link skip-action" onClick={focusAction}>
            {frShell.skipToAction}
          </button>
          <div className={classes.flash}>
            {flash !== undefined && (
              <Notice tone={flash.tone} onDismiss={dismissFlash}>
                {flash.message}
              </Notice>
            )}
          </div>
          {children}
          <Toasts />
        </main>
      </div>
    </div>
  );
}

/** A part of the frame whose file cannot be had is left out: the page goes on without it. */
function Part({ fallback, children }: { fallback?: ReactNode; children: ReactNode }) {
  return (
    <CatchBoundary getResetKey={() => 'part'} errorComponent={() => null}>
      <Suspense fallback={fallback}>{children}</Suspense>
    </CatchBoundary>
  );
}

/** Screen readers and the Tab key start at the top of a new page; the first page keeps the browser's focus. */
function PageStart({ main }: { main: RefObject<HTMLElement | null> }) {
  const pathname = useShownPath();
  const lastPathname = useRef(pathname);
  // It stands before the page, whose own fields and dialogs take the focus afterwards.
  useLayoutEffect(() => {
    if (lastPathname.current === pathname) return;
    lastPathname.current = pathname;
    advanceFlash();
    // Meanwhile, the search may have been opened; a closing dialog gives the focus back.
    if (!document.activeElement?.closest('#contenu:focus, dialog, [role="dialog"]'))
      main.current?.focus({ preventScroll: true });
  }, [pathname, main]);
  return null;
}

function LeaveQuestion() {
  const leaving = useNavigationConfirmation();
  return (
    <Part>
      <LeaveModal leaving={leaving} />
    </Part>
  );
}
