import { authRoutes as contract } from '@regie/contract/routes/auth.ts';
import { AppError } from '#src/lib/errors.ts';
import { redirectRoute, route, routeWithOwnTransactions } from '#src/lib/route.ts';
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
  routeWithOwnTransactions(contract.signInWithFactor, async ({ body, ...call }) => {
    await auth.signInWithFactor(call, body);
    return { data: {} };
  }),
  routeWithOwnTransactions(contract.signOut, async (call) => {
    await auth.signOut(call);
    return { data: {} };
  }),
  routeWithOwnTransactions(contract.requestPasswordReset, async ({ body, ...call }) => {
    await auth.requestPasswordReset(call, body.email);
    return { data: {} };
  }),
  routeWithOwnTransactions(contract.resetPassword, async ({ body, ...call }) => {
    await auth.resetPassword(call, body);
    return { data: {} };
  }),
  route(contract.findReset, async ({ query }, db) => {
    await auth.checkResetToken(db, query.token);
    return { data: {} };
  }),
  routeWithOwnTransactions(contract.signUp, async ({ body, ...call }) => {
    await auth.signUp(call, body);
    return { data: {} };
  }),
  route(contract.listSignInWays, async ({ deps }) => ({ data: auth.listSignInWays(deps) })),
  redirectRoute(contract.startProviderSignIn, ({ query, ...call }) => oidc.startSignIn(call, query.origin)),
  redirectRoute(contract.startProviderConfirmation, ({ query, ...call }) => oidc.startConfirmation(call, query.origin)),
  redirectRoute(contract.finishProviderSignIn, (call) => oidc.finishSignIn(call)),
  routeWithOwnTransactions(contract.askProviderFactor, async (call) => ({ data: await oidc.askEntryFactor(call) })),
  route(contract.findInvitation, async ({ query }, db) => ({
    data: { email: await auth.getInvitedEmail(db, query.token) },
  })),
];
