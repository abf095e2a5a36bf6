import { Anchor, Stack } from '@mantine/core';
import { safeOrigin } from '@regie/contract/safe-origin.ts';
import { Link } from '@tanstack/react-router';
import { fr } from '#src/fr.ts';
import { resumeSession, useSession } from '#src/lib/session.ts';
import { isWorkRunning } from '#src/lib/work-tray.ts';
import { paths } from '#src/paths.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { SignInForm } from '#src/ui/sign-in-form.tsx';
import classes from './auth-frame.module.css';
import { AuthFrame, useQueryValue } from './auth-frame.tsx';

/**
 * The whole page reloads: nothing of a former session stays in memory. But an import that waits for the same person
 * lives in this page, and goes on.
 */
async function enter(origin: string): Promise<void> {
  if (isWorkRunning() && (await resumeSession())) return;
  window.location.assign(origin);
}

export default function SignInPage() {
  const session = useSession();
  const origin = safeOrigin(useQueryValue('origin'));
  return (
    <AuthFrame title={fr.auth.signInTitle} text={fr.auth.signInText}>
      <Stack gap="md">
        {session.status === 'out' && session.ended && <Notice tone="info">{fr.auth.sessionEnded}</Notice>}
        <SignInForm onSignedIn={() => void enter(origin)} />
      </Stack>
      <p className={classes.links}>
        <Anchor component={Link} to={paths.resetPassword}>
          {fr.auth.forgotten}
        </Anchor>
      </p>
    </AuthFrame>
  );
}
