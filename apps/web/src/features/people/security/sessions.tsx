import { Box } from '@mantine/core';
import type { Security } from '@regie/contract/routes/security.ts';
import { routes } from '@regie/contract/routes.ts';
import { useAct } from '#src/lib/act.ts';
import { api } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { fr } from '#src/lib/fr.ts';
import { Message } from '#src/ui/alerts.tsx';
import { ConfirmModal } from '#src/ui/confirm-modal.tsx';
import { DateText } from '#src/ui/dates.tsx';
import { PlainTable } from '#src/ui/plain-table.tsx';
import { Section } from '#src/ui/record-page.tsx';
import shared from '#src/ui/shared.module.css';
import { SmallButton } from '#src/ui/small-button.tsx';
import { frSecurity } from './security.fr.ts';

const t = frSecurity.sessions;

export function Sessions({ sessions }: Pick<Security, 'sessions'>) {
  const { act, failure, setFailure } = useAct();
  const { ask, dialog } = useAsked<void>();
  return (
    <Section
      title={t.title}
      actions={sessions.length > 1 && <SmallButton onClick={() => ask()}>{t.endOthers}</SmallButton>}
    >
      <Message tone="error" text={failure} onDismiss={setFailure} />
      <ul className={shared.rows} aria-label={t.title}>
        {sessions.map((session) => {
          const device = session.device ?? t.unknownDevice;
          return (
            <li key={session.id}>
              <span>
                <strong className={shared.name}>{device}</strong>
                {session.isCurrent && ` (${t.current})`}
                <Box component="span" display="block" className={shared.note}>
                  {session.address !== null && `${session.address} · `}
                  {t.since} <DateText ms={session.createdAt} hasTime /> · {t.lastSeen}
                  {fr.common.colon}
                  <DateText ms={session.lastSeenAt} hasTime />
                </Box>
              </span>
              {!session.isCurrent && (
                <SmallButton
                  aria-label={t.endOne(device)}
                  onClick={() => act(() => api(routes.endSession, { params: { id: session.id } }))}
                >
                  {t.end}
                </SmallButton>
              )}
            </li>
          );
        })}
      </ul>
      <ConfirmModal
        {...dialog}
        name={t.title}
        consequence={t.endOthersConsequence}
        verb={t.endOthers}
        onConfirm={() => api(routes.endOtherSessions)}
      />
    </Section>
  );
}

export function SignIns({ signIns }: { signIns: Security['signIns'] }) {
  const words = frSecurity.signIns;
  return (
    <Section title={words.title}>
      <PlainTable name={words.title} head={[words.at, words.device, words.address, words.result]} isStackable>
        <tbody>
          {signIns.map((signIn) => (
            <tr key={`${signIn.at} ${signIn.result}`}>
              <td>
                <DateText ms={signIn.at} hasTime />
              </td>
              <td>{signIn.device ?? fr.common.none}</td>
              <td>{signIn.address ?? fr.common.none}</td>
              <td>{words.results[signIn.result]}</td>
            </tr>
          ))}
        </tbody>
      </PlainTable>
    </Section>
  );
}
