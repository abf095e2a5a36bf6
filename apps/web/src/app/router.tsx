import { safeOrigin } from '@regie/contract/safe-origin.ts';
import type { QueryClient } from '@tanstack/react-query';
import {
  type AnyRoute,
  type AsyncRouteComponent,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  Outlet,
  useLocation,
} from '@tanstack/react-router';
import { type ReactNode, Suspense, useState } from 'react';
import { Shell } from '#src/app/shell/shell.tsx';
import { afterPaint } from '#src/lib/after-paint.ts';
import { parseId } from '#src/lib/id-param.ts';
import { parseSearch, stringifySearch } from '#src/lib/search-params.ts';
import { can, isAllowed, useSession } from '#src/lib/session.ts';
import { Splash } from '#src/ui/splash.tsx';
import { NotFound, PageSkeleton, RenderError, RightGate, ScreenShape } from '#src/ui/states.tsx';
import { type Page, pages } from './pages.ts';
import { paths } from './paths.ts';
import { type Frame, type Screen, screens } from './screens.ts';

/** Nothing is rendered before the session check (product §12.3). */
function Root() {
  return useSession().status === 'checking' ? <Splash /> : <Outlet />;
}

function ToSignIn() {
  const href = useLocation({ select: (location) => location.href });
  // The URL changes before this component unmounts: the first one is the origin to return to.
  const [remembered] = useState(safeOrigin(href));
  return <Navigate to={paths.signIn} search={remembered === paths.home ? {} : { origin: remembered }} replace />;
}

function ToOrigin({ origin }: { origin: string }) {
  const [url] = useState(() => new URL(origin, window.location.origin));
  return <Navigate to={url.pathname} search={parseSearch(url.search)} replace />;
}

function SignedInFrame() {
  const session = useSession();
  if (session.status !== 'in') return <ToSignIn />;
  return (
    <Shell>
      <Outlet />
    </Shell>
  );
}

/** The page of this site that linked here, when the browser gives the referrer. */
function referrerPath(): string | undefined {
  const { referrer } = document;
  return referrer.startsWith(`${window.location.origin}/`) ? referrer.slice(window.location.origin.length) : undefined;
}

function PublicFrame() {
  const session = useSession();
  const origin = useLocation({ select: (location) => parseSearch(location.searchStr).origin });
  if (session.status === 'in') return <ToOrigin origin={safeOrigin(origin ?? referrerPath())} />;
  return (
    <Suspense fallback={<Splash />}>
      <Outlet />
    </Suspense>
  );
}

/** @param refused by default the no-right page */
function guarded(
  { access, path, shape }: Screen | Frame,
  Page: AsyncRouteComponent<object>,
  refused?: ReactNode,
): () => ReactNode {
  return function Guarded() {
    const session = useSession();
    // While a required factor is missing, only the page that adds one is available.
    const isHeldBack = session.status === 'in' && session.data.needsFactor && path !== paths.security;
    if (isHeldBack) return <Navigate to={paths.security} replace />;
    return (
      <RightGate
        isAllowed={session.status !== 'in' || isAllowed(access, session.data.userCapabilities)}
        refused={refused}
      >
        <ScreenShape value={shape}>
          <Suspense fallback={<PageSkeleton />}>
            <Page />
          </Suspense>
        </ScreenShape>
      </RightGate>
    );
  };
}

/** Preloads a page's data on hover or focus (product §36.14); a click is painted before the page renders. */
const preloading =
  (client: QueryClient, page: () => Promise<Page>) =>
  async ({ params, cause }: { params: { id?: string }; cause: 'preload' | 'enter' | 'stay' }) => {
    const id = parseId(params.id);
    if (cause === 'preload') {
      if (id !== undefined) void page().then(({ prefetch }) => prefetch?.(client, id, can));
      return;
    }
    await afterPaint();
    // The removal of a focused row would force a layout.
    if (cause === 'enter') document.activeElement?.closest('main')?.focus({ preventScroll: true });
  };

const redirects = { '/reporting': paths.reporting('all'), '/release/new': paths.newRelease('tracks') };

function buildRouteTree(queryClient: QueryClient) {
  const root = createRootRoute({ component: Root, errorComponent: RenderError, notFoundComponent: NotFound });
  const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: SignedInFrame });
  const open = createRoute({ getParentRoute: () => root, id: 'public', component: PublicFrame });

  const optionsOf = (screen: Screen | Frame) => {
    const load = pages[screen.path];
    if (!load) throw new Error(`pages.ts has no ${screen.path}`);
    const Page = lazyRouteComponent(load);
    const isFrame = 'isFrame' in screen;
    // The tabs of a frame have rights of their own.
    const guard = () =>
      Object.assign(guarded(screen, Page, isFrame ? <Outlet /> : undefined), { preload: Page.preload });
    return {
      component: screen.access === 'public' ? Page : guard(),
      errorComponent: RenderError,
      // A route with a loader opens asynchronously: only records have one.
      ...((isFrame || screen.path.includes('$id')) && { loader: preloading(queryClient, load) }),
    };
  };
  const routesOf = (parent: AnyRoute, isBelow: (screen: Screen) => boolean) =>
    screens
      .filter(isBelow)
      .map((screen) => createRoute({ getParentRoute: () => parent, path: screen.path, ...optionsOf(screen) }));
  const frames = [...new Set(screens.flatMap(({ frame }) => frame ?? []))].map((frame) => {
    const route = createRoute({ getParentRoute: () => signedIn, id: frame.path, ...optionsOf(frame) });
    return route.addChildren(routesOf(route, (screen) => screen.frame === frame));
  });
  const others = Object.entries(redirects).map(([path, to]) =>
    createRoute({ getParentRoute: () => signedIn, path, component: () => <Navigate to={to} search replace /> }),
  );
  const unknown = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFound });
  return root.addChildren([
    open.addChildren(routesOf(open, ({ access }) => access === 'public')),
    signedIn.addChildren([
      ...frames,
      ...routesOf(signedIn, ({ access, frame }) => access !== 'public' && frame === undefined),
      ...others,
      unknown,
    ]),
  ]);
}

export function createAppRouter(queryClient: QueryClient) {
  const router = createRouter({
    routeTree: buildRouteTree(queryClient),
    parseSearch,
    stringifySearch,
    scrollRestoration: true,
    defaultPreload: 'intent',
    // The queries know what is stale; the router takes all records of a frame for one.
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: RenderError,
    trailingSlash: 'never',
  });
  // A link to the page one is on loads its data again.
  router.subscribe('onBeforeNavigate', ({ hrefChanged }) => void (hrefChanged || queryClient.invalidateQueries()));
  const { preloadRoute } = router;
  // The files and styles of a page would delay the frame that shows the focus or the hover.
  router.preloadRoute = (async (options) => {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    return preloadRoute(options);
  }) as typeof preloadRoute;
  return router;
}
