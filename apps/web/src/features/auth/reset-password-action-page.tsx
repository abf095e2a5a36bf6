import { Button, Stack } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import { ResetAction } from '@regie/contract/routes/auth.ts';
import { routes } from '@regie/contract/routes.ts';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { z } from 'zod';
import { paths } from '#src/app/paths.ts';
import { fr } from '#src/fr.ts';
import { ApiError, api } from '#src/lib/api.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { PasswordField } from '#src/ui/fields.tsx';
import { Form } from '#src/ui/form.tsx';
import { AuthFrame, BackToSignIn, focusOnMount, useQueryValue } from './auth-frame.tsx';

export default function ResetPasswordActionPage() {
  const token = useQueryValue('token');
  const [isExpired, setIsExpired] = useState(false);
  if (!token || isExpired) {
    return (
      <AuthFrame title={fr.auth.resetActionTitle}>
        <Stack gap="md">
          <Notice tone="error">{isExpired ? messages.tokenUsed : messages.unauthorized}</Notice>
          <Button component={Link} to={paths.resetPassword} ref={focusOnMount} fullWidth>
            {fr.auth.newLink}
          </Button>
          <BackToSignIn />
        </Stack>
      </AuthFrame>
    );
  }
  const submit = async (body: z.output<typeof ResetAction>) => {
    try {
      return await api(routes.resetPassword, { body });
    } catch (error) {
      if (error instanceof ApiError && error.errors.global === messages.tokenUsed) setIsExpired(true);
      throw error;
    }
  };
  return (
    <AuthFrame title={fr.auth.resetActionTitle}>
      <Form
        schema={ResetAction}
        initialValues={{ password: '', password_confirmation: '' }}
        toBody={(values) => ({ ...values, token })}
        submit={submit}
        submitLabel={fr.auth.changePassword}
        fullWidth
        secondary={<BackToSignIn />}
        isHiddenOnSuccess
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
