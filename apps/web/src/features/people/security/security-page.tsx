import { Box, Button, Group, Stack } from '@mantine/core';
import { ProviderFailure, providerFailures } from '@regie/contract/identity-provider.ts';
import type { Security } from '@regie/contract/routes/security.ts';
import { routes } from '@regie/contract/routes.ts';
import { type FactorKind, recoveryCodeCount } from '@regie/contract/second-factors.ts';
import { IconDeviceMobile, IconFingerprint } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { frScreens } from '#src/app/screens.fr.ts';
import { broadcastConfirmation } from '#src/domain/sign-in/identity-provider.ts';
import { useAct } from '#src/lib/act.ts';
import { api, apiQuery } from '#src/lib/api.ts';
import { formatDateTime } from '#src/lib/formats.ts';
import { fr } from '#src/lib/fr.ts';
import { parseSearch } from '#src/lib/search-params.ts';
import { refreshSession, useSignedIn } from '#src/lib/session.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { Loading } from '#src/ui/loaded.tsx';
import { PageHeader } from '#src/ui/page-header.tsx';
import { Section } from '#src/ui/record-page.tsx';
import { AddFactorModal } from './add-factor.tsx';
import { OwnPasswordSection } from './own-password.tsx';
import { RecoveryCodesModal } from './recovery-codes.tsx';
import { frSecurity } from './security.fr.ts';
import classes from './security.module.css';
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
        {failed && (
          <Notice tone="error" isMessage>
            {providerFailures[failed]}
          </Notice>
        )}
        {isConfirmed && (
          <Notice tone="success" isMessage>
            {t.provider.confirmed}
          </Notice>
        )}
        {needsFactor && <Notice tone="info">{t.required}</Notice>}
        {security.data.factorLift && <LiftNotice lift={security.data.factorLift} />}
        <Factors security={security.data} />
        {provider === undefined ? (
          <OwnPasswordSection />
        ) : (
          <Section title={t.provider.title}>
            <p className={classes.hint}>{t.provider.text(provider)}</p>
          </Section>
        )}
        <Sessions sessions={security.data.sessions} />
        <SignIns signIns={security.data.signIns} />
      </Stack>
    );
  }
  return <Loading query={security} />;
}

/** A colleague reported the factors as lost: their owner can keep them. */
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
  const [removed, setRemoved] = useState<Security['factors'][number]>();
  const [isRenewing, setIsRenewing] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>([]);
  return (
    <>
      <Section title={t.factors.title}>
        {factors.length === 0 && <p className={classes.hint}>{t.factors.none}</p>}
        <Box component="ul" m={0} p={0} aria-label={t.factors.title}>
          {factors.map((factor) => (
            <li key={factor.id} className={classes.row}>
              <span>
                <strong>{factor.name}</strong>
                <span className={classes.hint}>
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
                </span>
              </span>
              <Button
                variant="default"
                size="compact-sm"
                aria-label={t.factors.remove(factor.name)}
                onClick={() => setRemoved(factor)}
              >
                {t.factors.removeVerb}
              </Button>
            </li>
          ))}
        </Box>
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
          actions={
            <Button variant="default" size="compact-sm" onClick={() => setIsRenewing(true)}>
              {t.recovery.renew}
            </Button>
          }
        >
          <p className={classes.hint}>
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
        isOpen={isRenewing}
        onClose={() => setIsRenewing(false)}
        name={t.recovery.title}
        consequence={t.recovery.renewConsequence}
        verb={t.recovery.renew}
        onConfirm={async () => setCodes((await api(routes.renewRecoveryCodes)).data.recoveryCodes)}
      />
      {removed && (
        <ConfirmModal
          isOpen
          onClose={() => setRemoved(undefined)}
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
