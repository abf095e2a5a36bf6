import { Button, Modal, Stack, Text } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent } from 'react';
import { frScreens } from '#src/app/screens.fr.ts';
import { onConfirmed, openProvider } from '#src/domain/sign-in/identity-provider.ts';
import { ProviderIcon } from '#src/domain/sign-in/provider-icon.tsx';
import { frSignIn } from '#src/domain/sign-in/sign-in.fr.ts';
import { SignInForm } from '#src/domain/sign-in/sign-in-form.tsx';
import { fr } from '#src/lib/fr.ts';
import { leaveEndedSession, resumeSession, useSignedIn } from '#src/lib/session.ts';

const aboveOtherDialogs = 400;

/** The session ended with unsaved changes on screen: the user signs in over it, without losing them. */
export function SignInAgain() {
  const { user, provider } = useSignedIn();
  const queryClient = useQueryClient();
  const resume = async () => {
    const isBack = await resumeSession();
    if (isBack) void queryClient.invalidateQueries();
    return isBack;
  };
  const enter = async () => {
    // Another user signed in: nothing of the former user's screen stays.
    if (!(await resume())) window.location.reload();
  };
  useWindowEvent('visibilitychange', () => {
    if (document.visibilityState === 'visible') void resume();
  });
  const onProvider = useEffectEvent(() => void enter());
  useEffect(() => onConfirmed(() => onProvider()), []);
  const leave = (
    <Button variant="subtle" color="gray" fullWidth onClick={leaveEndedSession}>
      {fr.form.leave}
    </Button>
  );
  return (
    <Modal
      opened
      onClose={() => undefined}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      title={frScreens.auth.signIn}
      size="sm"
      zIndex={aboveOtherDialogs}
    >
      <Text mb="md">{frSignIn.sessionEnded}</Text>
      {provider === undefined ? (
        <SignInForm email={user.email} onSignedIn={() => void enter()} secondary={leave} />
      ) : (
        <Stack gap="xs">
          <Button leftSection={<ProviderIcon />} onClick={() => openProvider('start')} data-autofocus fullWidth>
            {provider}
          </Button>
          {leave}
        </Stack>
      )}
    </Modal>
  );
}
