import { Anchor, Stack, TextInput } from '@mantine/core';
import { SignIn } from '@regie/contract/routes/auth.ts';
import { routes } from '@regie/contract/routes.ts';
import { Link } from '@tanstack/react-router';
import { fr } from '#src/fr.ts';
import { api } from '#src/lib/api.ts';
import { resumeSession, safeOrigin, useSession } from '#src/lib/session.ts';
import { isWorkRunning } from '#src/lib/work-tray.ts';
import { paths } from '#src/paths.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { PasswordField } from '#src/ui/fields.tsx';
import { Form } from '#src/ui/form.tsx';
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
        <Form
          schema={SignIn}
          initialValues={{ email: '', password: '' }}
          submit={(body) => api(routes.signIn, { body })}
          onSuccess={() => void enter(origin)}
          submitLabel={fr.auth.signIn}
          fullWidth
        >
          {(form) => (
            <>
              <TextInput
                label={fr.auth.email}
                type="email"
                autoComplete="username"
                autoFocus
                required
                {...form.getInputProps('email')}
              />
              <PasswordField
                label={fr.auth.password}
                autoComplete="current-password"
                required
                {...form.getInputProps('password')}
              />
            </>
          )}
        </Form>
      </Stack>
      <p className={classes.links}>
        <Anchor component={Link} to={paths.resetPassword}>
          {fr.auth.forgotten}
        </Anchor>
      </p>
    </AuthFrame>
  );
}
