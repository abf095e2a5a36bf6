import { authRoutes as contract } from '@regie/contract/routes/auth.ts';
import { AppError } from '#src/lib/errors.ts';
import { dataRoute, redirectRoute, route, routeWithOwnTransactions } from '#src/lib/route.ts';
import { issueCsrfToken } from '#src/lib/session.ts';
import * as auth from './auth.service.ts';
import * as oidc from './oidc.service.ts';

export const authRoutes = [
  route(contract.checkSession, async ({ deps, caller, request, reply }, db) => {
    const csrf = issueCsrfToken(deps.cookies, caller.session, request, reply);
    if (!caller.session) throw new AppError('unauthorized', undefined, { csrf });
    return { data: await auth.describeSession(db, deps, caller.session), csrf };
  }),
  routeWithOwnTransactions(contract.signIn, async ({ body, ...call }) => {
    const factor = await auth.signIn(call, body);
    return { data: factor ? { factor } : {} };
  }),
  routeWithOwnTransactions(contract.signInWithFactor, ({ body, ...call }) => auth.signInWithFactor(call, body)),
  routeWithOwnTransactions(contract.signOut, (call) => auth.signOut(call)),
  routeWithOwnTransactions(contract.requestPasswordReset, ({ body, ...call }) =>
    auth.requestPasswordReset(call, body.email),
  ),
  routeWithOwnTransactions(contract.resetPassword, ({ body, ...call }) => auth.resetPassword(call, body)),
  dataRoute(contract.findReset, ({ query }, db) => auth.describeReset(db, query.token)),
  routeWithOwnTransactions(contract.signUp, ({ body, ...call }) => auth.signUp(call, body)),
  route(contract.listSignInWays, async ({ deps }) => ({ data: auth.listSignInWays(deps) })),
  redirectRoute(contract.startProviderSignIn, ({ query, ...call }) => oidc.startSignIn(call, query.origin)),
  redirectRoute(contract.startProviderConfirmation, ({ query, ...call }) => oidc.startConfirmation(call, query.origin)),
  redirectRoute(contract.finishProviderSignIn, (call) => oidc.finishSignIn(call)),
  routeWithOwnTransactions(contract.askProviderFactor, async (call) => ({ data: await oidc.askEntryFactor(call) })),
  dataRoute(contract.findInvitation, async ({ query }, db) => ({ email: await auth.getInvitedEmail(db, query.token) })),
];
