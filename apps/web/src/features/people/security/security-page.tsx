import { Box, Button, Group, Modal, SimpleGrid, Stack, Text } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { ProviderFailure, providerFailures } from '@regie/contract/identity-provider.ts';
import { OwnPassword } from '@regie/contract/routes/auth.ts';
import type { Security } from '@regie/contract/routes/security.ts';
import { routes } from '@regie/contract/routes.ts';
import { type FactorKind, recoveryCodeCount } from '@regie/contract/second-factors.ts';
import { formatDateTime } from '@regie/values/formats.ts';
import { IconDeviceMobile, IconFingerprint } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { frScreens } from '#src/app/screens.fr.ts';
import { broadcastConfirmation } from '#src/domain/sign-in/identity-provider.ts';
import { NewPasswordFields } from '#src/domain/sign-in/new-password-fields.tsx';
import { frSignIn } from '#src/domain/sign-in/sign-in.fr.ts';
import { useAct } from '#src/lib/act.ts';
import { api, apiQuery } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { downloadBlob } from '#src/lib/download.ts';
import { fr } from '#src/lib/fr.ts';
import { parseSearch } from '#src/lib/search-params.ts';
import { refreshSession, useSignedIn } from '#src/lib/session.ts';
import { Message, Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { PasswordField } from '#src/ui/fields.tsx';
import { Form } from '#src/ui/form.tsx';
import { Loading } from '#src/ui/loaded.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { SmallButton } from '#src/ui/small-button.tsx';
import { AddFactorModal } from './add-factor.tsx';
import { frSecurity } from './security.fr.ts';
import { Sessions, SignIns } from './sessions.tsx';

const t = frSecurity;

export default function SecurityPage() {
  const { needsFactor, provider } = useSignedIn();
  const { failure, confirmed } = useLocation({ select: (location) => parseSearch(location.searchStr) });
  const failed = ProviderFailure.safeParse(failure).data;
  const isConfirmed = confirmed !== undefined;
  useEffect(() => {
    if (isConfirmed) broadcastConfirmation();
  }, [isConfirmed]);
  const security = useQuery(apiQuery(['security'], routes.getSecurity));
  if (security.data) {
    return (
      <Stack gap={24} maw={760}>
        <PageHeader title={frScreens.security} text={t.intro} />
        {failed && <Message text={providerFailures[failed]} />}
        {isConfirmed && <Message tone="success" text={t.provider.confirmed} />}
        {needsFactor && <Notice tone="info">{t.required}</Notice>}
        {security.data.factorLift && <LiftNotice lift={security.data.factorLift} />}
        <Factors security={security.data} />
        {provider === undefined ? (
          <OwnPasswordSection />
        ) : (
          <Section title={t.provider.title}>
            <p className={`${shared.note} ${shared.spaced}`}>{t.provider.text(provider)}</p>
          </Section>
        )}
        <Sessions sessions={security.data.sessions} />
        <SignIns signIns={security.data.signIns} />
      </Stack>
    );
  }
  return <Loading query={security} />;
}

function LiftNotice({ lift }: { lift: NonNullable<Security['factorLift']> }) {
  const { act, failure } = useAct();
  return (
    <Notice tone="error">
      {failure ?? t.lift.own(lift.askedBy, formatDateTime(lift.dueAt))}
      <Group gap={8} my={16}>
        <Button size="xs" variant="default" onClick={() => act(() => api(routes.refuseFactorLift))}>
          {t.lift.keep}
        </Button>
      </Group>
    </Notice>
  );
}

function Factors({ security }: { security: Security }) {
  const { factors, recoveryCodesLeft, firstFactor } = security;
  const [added, setAdded] = useState<FactorKind>();
  const { subject: removed, ask: askRemoval, dialog: removal } = useAsked<Security['factors'][number]>();
  const { ask: askRenewal, dialog: renewal } = useAsked<void>();
  const [codes, setCodes] = useState<readonly string[]>([]);
  return (
    <>
      <Section title={t.factors.title}>
        {factors.length === 0 && <p className={`${shared.note} ${shared.spaced}`}>{t.factors.none}</p>}
        <ul className={shared.rows} aria-label={t.factors.title}>
          {factors.map((factor) => (
            <li key={factor.id}>
              <span>
                <strong className={shared.name}>{factor.name}</strong>
                <Box component="span" display="block" className={shared.note}>
                  {t.kinds[factor.kind]} · {t.factors.added} <DateText ms={factor.createdAt} /> ·{' '}
                  {factor.lastUsedAt === null ? (
                    t.factors.neverUsed
                  ) : (
                    <>
                      {t.factors.lastUsed}
                      {fr.common.colon}
                      <DateText ms={factor.lastUsedAt} hasTime />
                    </>
                  )}
                </Box>
              </span>
              <SmallButton aria-label={t.factors.remove(factor.name)} onClick={() => askRemoval(factor)}>
                {t.factors.removeVerb}
              </SmallButton>
            </li>
          ))}
        </ul>
        <Group gap={8} my={16}>
          <Button
            variant={factors.length === 0 ? 'filled' : 'default'}
            leftSection={buttonIcon(IconFingerprint)}
            onClick={() => setAdded('passkey')}
          >
            {t.factors.addPasskey}
          </Button>
          <Button variant="default" leftSection={buttonIcon(IconDeviceMobile)} onClick={() => setAdded('totp')}>
            {t.factors.addTotp}
          </Button>
        </Group>
      </Section>
      {factors.length > 0 && (
        <Section
          title={t.recovery.title}
          actions={<SmallButton onClick={() => askRenewal()}>{t.recovery.renew}</SmallButton>}
        >
          <p className={`${shared.note} ${shared.spaced}`}>
            {t.recovery.left(recoveryCodesLeft, recoveryCodeCount)} {t.recovery.text}
          </p>
        </Section>
      )}
      {added && (
        <AddFactorModal
          kind={added}
          firstFactor={firstFactor}
          onClose={() => setAdded(undefined)}
          onAdded={(codes) => {
            setAdded(undefined);
            setCodes(codes);
            // The change applies to the session's capabilities at once.
            void refreshSession();
          }}
        />
      )}
      <RecoveryCodesModal codes={codes} onClose={() => setCodes([])} />
      <ConfirmModal
        {...renewal}
        name={t.recovery.title}
        consequence={t.recovery.renewConsequence}
        verb={t.recovery.renew}
        onConfirm={async () => setCodes((await api(routes.renewRecoveryCodes)).data.recoveryCodes)}
      />
      {removed && (
        <ConfirmModal
          {...removal}
          name={removed.name}
          consequence={factors.length === 1 ? t.factors.removeLast : t.factors.removeConsequence}
          verb={t.factors.removeVerb}
          onConfirm={async () => {
            const answer = await api(routes.removeFactor, { params: { id: removed.id } });
            void refreshSession();
            return answer;
          }}
        />
      )}
    </>
  );
}

function OwnPasswordSection() {
  const { ask, dialog } = useAsked<void>();
  return (
    <Section
      title={t.password.title}
      actions={<SmallButton onClick={() => ask()}>{frSignIn.changePassword}</SmallButton>}
    >
      <p className={`${shared.note} ${shared.spaced}`}>{t.password.text}</p>
      <Dialog {...dialog} title={frSignIn.changePassword}>
        <Form
          schema={OwnPassword}
          initialValues={{ presentPassword: '', password: '', password_confirmation: '' }}
          submit={(body) => api(routes.changeOwnPassword, { body })}
          onClose={dialog.onClose}
          submitLabel={frSignIn.changePassword}
          secondary={<CancelButton />}
        >
          {(form) => (
            <>
              <PasswordField
                label={frSignIn.currentPassword}
                autoComplete="current-password"
                data-autofocus
                required
                {...form.getInputProps('presentPassword')}
              />
              <NewPasswordFields inputProps={form.getInputProps} />
            </>
          )}
        </Form>
      </Dialog>
    </Section>
  );
}

/** The codes, shown once: only the button closes the dialog. */
function RecoveryCodesModal({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { copied, copy } = useClipboard();
  const text = `${codes.join('\r\n')}\r\n`;
  return (
    <Modal
      opened={codes.length > 0}
      onClose={() => undefined}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      title={t.recovery.title}
      size="lg"
    >
      <Stack gap="md">
        <Text>{t.recovery.shown}</Text>
        <SimpleGrid
          component="ul"
          minColWidth="260px"
          autoFlow="auto-fit"
          spacing={24}
          verticalSpacing={6}
          p={16}
          bd="1px solid var(--line)"
          bdrs={8}
          aria-label={t.recovery.title}
        >
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </SimpleGrid>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={() => copy(text)}>
            {copied ? fr.common.copied : t.recovery.copy}
          </Button>
          <Button
            variant="default"
            onClick={() => downloadBlob(new Blob([text], { type: 'text/plain' }), t.recovery.file)}
          >
            {t.recovery.download}
          </Button>
          <Button onClick={onClose} data-autofocus>
            {t.recovery.done}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
