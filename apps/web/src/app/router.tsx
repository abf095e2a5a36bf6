import { safeOrigin } from '@regie/contract/safe-origin.ts';
import type { QueryClient } from '@tanstack/react-query';
import {
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
import { parseId } from '#src/lib/id-param.ts';
import { parseSearch, stringifySearch } from '#src/lib/search-params.ts';
import { isAllowed, useSession } from '#src/lib/session.ts';
import { Splash } from '#src/ui/splash.tsx';
import { NotFound, PageSkeleton, RenderError, RightGate, ScreenShape } from '#src/ui/states.tsx';
import { paths } from './paths.ts';
import { type Page, recordFrames, type Screen, screens } from './routes.tsx';

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

/** The signed-in frame; anyone else signs in first and returns here. */
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

/** The sign-in screens: a signed-in user returns to the origin. */
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
  { access, path, shape }: Pick<Screen, 'access' | 'path' | 'shape'>,
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

const frameMs = 50;

/** Resolves after the browser has painted; after `frameMs` in a window that is not painted. */
const afterPaint = () =>
  new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, frameMs);
  });

/**
 * Loads the data of the page when a link to it is hovered or focused. The click itself is painted before the page
 * renders, which takes longer.
 */
const preloading =
  (client: QueryClient, page: () => Promise<Page>) =>
  ({ params, preload }: { params: { id?: string }; preload: boolean }) => {
    const id = parseId(params.id);
    if (!preload) return afterPaint();
    return id === undefined ? undefined : void page().then(({ prefetch }) => prefetch?.(client, id));
  };

function buildRouteTree(queryClient: QueryClient) {
  const root = createRootRoute({ component: Root, errorComponent: RenderError, notFoundComponent: NotFound });
  const signedIn = createRoute({ getParentRoute: () => root, id: 'signed-in', component: SignedInFrame });
  const open = createRoute({ getParentRoute: () => root, id: 'public', component: PublicFrame });
  const frames = Object.entries(recordFrames).map(([id, frame]) => {
    const Page = lazyRouteComponent(frame.page);
    // Its tabs have rights of their own.
    const component = Object.assign(guarded(frame, Page, <Outlet />), { preload: Page.preload });
    return createRoute({
      getParentRoute: () => signedIn,
      id,
      component,
      errorComponent: RenderError,
      loader: preloading(queryClient, frame.page),
    });
  });
  const kinds = Object.keys(recordFrames);
  const parentOf = ({ access, record }: Screen) =>
    access === 'public' ? open : ((record && frames[kinds.indexOf(record)]) ?? signedIn);
  const screenRoutes = screens.map((screen) => {
    const Page = lazyRouteComponent(screen.page);
    const component =
      screen.access === 'public' ? Page : Object.assign(guarded(screen, Page), { preload: Page.preload });
    return createRoute({
      getParentRoute: () => parentOf(screen),
      path: screen.path,
      component,
      errorComponent: RenderError,
      // A route with a loader opens asynchronously: only records have one.
      ...(screen.path.includes('$id') && { loader: preloading(queryClient, screen.page) }),
    });
  });
  const newRelease = createRoute({
    getParentRoute: () => signedIn,
    path: paths.newRelease('tracks').replace(/\/tracks$/, ''),
    component: () => <Navigate to={paths.newRelease('tracks')} replace />,
  });
  const unknown = createRoute({ getParentRoute: () => signedIn, path: '$', component: NotFound });
  const below = (parent: unknown) => screenRoutes.filter((_, i) => screens[i] && parentOf(screens[i]) === parent);
  for (const frame of frames) frame.addChildren(below(frame));
  return root.addChildren([
    open.addChildren(below(open)),
    signedIn.addChildren([...frames, ...below(signedIn), newRelease, unknown]),
  ]);
}

export function createAppRouter(queryClient: QueryClient) {
  const router = createRouter({
    routeTree: buildRouteTree(queryClient),
    parseSearch,
    stringifySearch,
    scrollRestoration: true,
    defaultPreload: 'intent',
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
