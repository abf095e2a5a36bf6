import { Anchor, Box, Button, Divider, Loader, Stack } from '@mantine/core';
import { ProviderFailure, providerFailures } from '@regie/contract/identity-provider.ts';
import { routes } from '@regie/contract/routes.ts';
import { safeOrigin } from '@regie/contract/safe-origin.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { FactorForm } from '#src/domain/sign-in/factor-form.tsx';
import { providerSignInAddress, signInMethodsQuery } from '#src/domain/sign-in/identity-provider.ts';
import { ProviderIcon } from '#src/domain/sign-in/provider-icon.tsx';
import { frSignIn } from '#src/domain/sign-in/sign-in.fr.ts';
import { SignInForm } from '#src/domain/sign-in/sign-in-form.tsx';
import { api, errorSentence } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { resumeSession, signOut, useSession } from '#src/lib/session.ts';
import { isWorkRunning } from '#src/lib/work-tray.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import shared from '#src/ui/shared.module.css';
import { frAuth } from './auth.fr.ts';
import { AuthFrame, useQueryValue } from './auth-frame.tsx';

/** Reloads the page, so that nothing of a former session stays, unless an import in it waits for the same user. */
async function enter(origin: string): Promise<void> {
  if (isWorkRunning() && (await resumeSession())) return;
  window.location.assign(origin);
}

export default function SignInPage() {
  const session = useSession();
  const origin = safeOrigin(useQueryValue('origin'));
  const failure = ProviderFailure.safeParse(useQueryValue('failure')).data;
  const isSecondStep = useQueryValue('second') !== undefined;
  return (
    <AuthFrame title={frScreens.auth.signIn} text={frAuth.signInText}>
      <Stack gap="md">
        {session.status === 'out' && session.ended && <Message tone="info" text={frSignIn.sessionEnded} />}
        {session.status === 'out' && session.signOut && <SignedOut isConfirmed={session.signOut === 'done'} />}
        {failure && <Message text={providerFailures[failure]} />}
        {isSecondStep ? <SecondStep origin={origin} /> : <SignInMethods origin={origin} />}
      </Stack>
    </AuthFrame>
  );
}

function SignedOut({ isConfirmed }: { isConfirmed: boolean }) {
  const queryClient = useQueryClient();
  const [isBusy, setIsBusy] = useState(false);
  if (isConfirmed) return <Message tone="success" text={frAuth.signedOut} />;
  const again = async () => {
    setIsBusy(true);
    await signOut(() => queryClient.clear());
    setIsBusy(false);
  };
  return (
    <Notice tone="error">
      {frAuth.signOutUnconfirmed}
      <div>
        <Button variant="default" size="xs" mt="xs" loading={isBusy} onClick={() => void again()}>
          {frAuth.signOutAgain}
        </Button>
      </div>
    </Notice>
  );
}

function SignInMethods({ origin }: { origin: string }) {
  const ways = useQuery(signInMethodsQuery);
  // Without a response the password form is shown: its own call reports the error.
  const { password: hasPassword, provider } = ways.data ?? { password: true, provider: null };
  if (ways.isPending) return <Loader role="status" aria-label={fr.common.loading} />;
  return (
    <>
      {hasPassword && <SignInForm onSignedIn={() => void enter(origin)} />}
      {hasPassword && provider !== null && <Divider label={frSignIn.prompt.or} />}
      {provider !== null && (
        <Button
          component="a"
          href={providerSignInAddress(origin)}
          variant={hasPassword ? 'default' : 'filled'}
          leftSection={<ProviderIcon />}
          fullWidth
        >
          {provider}
        </Button>
      )}
      {hasPassword && (
        <Box component="p" mt={16} ta="center" fz={14}>
          <Anchor component={Link} to={paths.resetPassword}>
            {frAuth.forgotten}
          </Anchor>
        </Box>
      )}
    </>
  );
}

function SecondStep({ origin }: { origin: string }) {
  const prompt = useQuery({
    queryKey: ['provider-factor'],
    queryFn: async () => (await api(routes.askProviderFactor)).data,
    retry: false,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const restart = (
    <LinkButton to={paths.signIn} variant="subtle" color="gray" fullWidth>
      {frSignIn.prompt.restart}
    </LinkButton>
  );
  if (prompt.isError) {
    return (
      <>
        <Notice tone="error">{errorSentence(prompt.error)}</Notice>
        {restart}
      </>
    );
  }
  if (!prompt.data) return <Loader role="status" aria-label={fr.common.loading} />;
  return (
    <>
      <p className={shared.muted}>{frSignIn.prompt.text}</p>
      <FactorForm
        prompt={prompt.data}
        submit={(body) => api(routes.signInWithFactor, { body })}
        onDone={() => void enter(origin)}
        secondary={restart}
      />
    </>
  );
}
