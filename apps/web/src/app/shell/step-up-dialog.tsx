import { Button, Loader, Modal, Stack, Text } from '@mantine/core';
import { useMounted } from '@mantine/hooks';
import { routes } from '@regie/contract/routes.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { paths } from '#src/app/paths.ts';
import { FactorForm } from '#src/domain/sign-in/factor-form.tsx';
import { onConfirmed, openProvider } from '#src/domain/sign-in/identity-provider.ts';
import { ProviderIcon } from '#src/domain/sign-in/provider-icon.tsx';
import { api } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { useSignedIn } from '#src/lib/session.ts';
import { closeStepUp, useStepUp } from '#src/lib/step-up.ts';
import { LinkButton } from '#src/ui/link-button.tsx';
import { ErrorState } from '#src/ui/states.tsx';
import { frStepUp } from './step-up.fr.ts';

const t = frStepUp;
const aboveOtherDialogs = 400;

export function StepUpDialog() {
  const state = useStepUp();
  // Mounted open the first time, when it would not record what has the focus.
  const isMounted = useMounted();
  const giveUp = () => closeStepUp(false);
  const isMissing = state === 'missing';
  return (
    <Modal
      opened={isMounted && state !== undefined}
      onClose={giveUp}
      title={isMissing ? t.missingTitle : t.title}
      size="sm"
      zIndex={aboveOtherDialogs}
    >
      {isMissing ? (
        <Stack gap="md">
          <Text>{t.missingText}</Text>
          <LinkButton to={paths.security} onClick={giveUp} data-autofocus>
            {t.openSecurity}
          </LinkButton>
        </Stack>
      ) : (
        <>
          {state === 'confirm' && <Confirm onGiveUp={giveUp} />}
          {state === 'provider' && <ConfirmAtProvider onGiveUp={giveUp} />}
        </>
      )}
    </Modal>
  );
}

function Confirm({ onGiveUp }: { onGiveUp: () => void }) {
  const prompt = useQuery({
    queryKey: ['step-up'],
    queryFn: async () => (await api(routes.startStepUp)).data,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (prompt.isError) return <ErrorState query={prompt} />;
  if (!prompt.data) return <Loader role="status" aria-label={fr.common.loading} />;
  return (
    <Stack gap="md">
      <Text>{t.text}</Text>
      <FactorForm
        prompt={prompt.data}
        submit={(body) => api(routes.stepUp, { body })}
        onDone={() => closeStepUp(true)}
        secondary={
          <Button variant="subtle" color="gray" fullWidth onClick={onGiveUp}>
            {fr.common.cancel}
          </Button>
        }
      />
    </Stack>
  );
}

function ConfirmAtProvider({ onGiveUp }: { onGiveUp: () => void }) {
  const { provider } = useSignedIn();
  useEffect(() => onConfirmed(() => closeStepUp(true)), []);
  return (
    <Stack gap="md">
      <Text>{t.providerText}</Text>
      <Button leftSection={<ProviderIcon />} onClick={() => openProvider('confirm')} data-autofocus fullWidth>
        {provider}
      </Button>
      <Button variant="subtle" color="gray" fullWidth onClick={onGiveUp}>
        {fr.common.cancel}
      </Button>
    </Stack>
  );
}
