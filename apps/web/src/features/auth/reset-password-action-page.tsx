import { Stack } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import { ResetAction } from '@regie/contract/routes/auth.ts';
import { routes } from '@regie/contract/routes.ts';
import { fr } from '#src/fr.ts';
import { api } from '#src/lib/api.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { PasswordField } from '#src/ui/fields.tsx';
import { Form } from '#src/ui/form.tsx';
import { AuthFrame, BackToSignIn, useQueryValue } from './auth-frame.tsx';

export default function ResetPasswordActionPage() {
  const token = useQueryValue('token');
  if (!token) {
    return (
      <AuthFrame title={fr.auth.resetActionTitle}>
        <Stack gap="md">
          <Notice tone="error">{messages.unauthorized}</Notice>
          <BackToSignIn isMain />
        </Stack>
      </AuthFrame>
    );
  }
  return (
    <AuthFrame title={fr.auth.resetActionTitle}>
      <Form
        schema={ResetAction}
        initialValues={{ password: '', password_confirmation: '' }}
        toBody={(values) => ({ ...values, token })}
        submit={(body) => api(routes.resetPassword, { body })}
        submitLabel={fr.auth.changePassword}
        fullWidth
        secondary={<BackToSignIn />}
        hideAfterSuccess
        afterSuccess={<BackToSignIn isMain />}
      >
        {(form) => (
          <>
            <PasswordField
              label={fr.auth.newPassword}
              description={fr.auth.passwordHint}
              autoComplete="new-password"
              autoFocus
              required
              {...form.getInputProps('password')}
            />
            <PasswordField
              label={fr.auth.passwordConfirmation}
              autoComplete="new-password"
              required
              {...form.getInputProps('password_confirmation')}
            />
          </>
        )}
      </Form>
    </AuthFrame>
  );
}
