import { Stack, TextInput } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import { ResetAction } from '@regie/contract/routes/auth.ts';
import { routes } from '@regie/contract/routes.ts';
import { signatureMessages } from '@regie/contract/signatures.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { z } from 'zod';
import { paths } from '#src/app/paths.ts';
import { frScreens } from '#src/app/screens.fr.ts';
import { NewPasswordFields } from '#src/domain/sign-in/new-password-fields.tsx';
import { frSignIn } from '#src/domain/sign-in/sign-in.fr.ts';
import { ApiError, api, apiQuery, isNotFound } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { Form } from '#src/ui/form.tsx';
import { LinkButton } from '#src/ui/link-button.tsx';
import { Skeletons } from '#src/ui/skeletons.tsx';
import { frAuth } from './auth.fr.ts';
import { AuthFrame, BackToSignIn, focusOnMount, useQueryValue } from './auth-frame.tsx';

export default function ResetPasswordActionPage() {
  return (
    <AuthFrame title={frScreens.auth.resetAction}>
      <ResetPassword />
    </AuthFrame>
  );
}

function ResetPassword() {
  const token = useQueryValue('token');
  const [isRefused, setIsRefused] = useState(false);
  const link = useQuery({
    ...apiQuery(['reset', token], routes.findReset, { query: { token: token ?? '' } }),
    enabled: Boolean(token),
    // Changing the password uses the link: reloading it would show an error under the success message.
    staleTime: 'static',
  });
  const isExpired = isRefused || isNotFound(link.error);
  if (!token || isExpired) {
    return (
      <Stack gap="md">
        <Notice tone="error">{isExpired ? messages.tokenUsed : messages.unauthorized}</Notice>
        <LinkButton to={paths.resetPassword} ref={focusOnMount} fullWidth>
          {frAuth.newLink}
        </LinkButton>
        <BackToSignIn />
      </Stack>
    );
  }
  const submit = async (body: z.output<typeof ResetAction>) => {
    try {
      return await api(routes.resetPassword, { body });
    } catch (error) {
      if (error instanceof ApiError && error.errors.global === messages.tokenUsed) setIsRefused(true);
      throw error;
    }
  };
  if (link.isPending) {
    return (
      <Stack gap="md" role="status" aria-label={fr.common.loading}>
        <Skeletons count={2} h={56} />
      </Stack>
    );
  }
  if (link.data?.needs === 'others') {
    return (
      <Stack gap="md">
        <Notice tone="error">{signatureMessages.resetRefused}</Notice>
        <BackToSignIn />
      </Stack>
    );
  }
  return (
    <Form
      schema={ResetAction}
      initialValues={{ password: '', password_confirmation: '', code: '' }}
      toBody={({ code, ...values }) => ({ ...values, token, code: code || undefined })}
      submit={submit}
      submitLabel={frSignIn.changePassword}
      fullWidth
      secondary={<BackToSignIn />}
      isHiddenOnSuccess
      afterSuccess={<BackToSignIn isMain />}
    >
      {(form) => (
        <>
          <NewPasswordFields inputProps={form.getInputProps} autoFocus />
          {link.data?.needs === 'code' && (
            <TextInput
              label={frSignIn.prompt.code}
              description={frAuth.signatoryCode}
              autoComplete="one-time-code"
              {...form.getInputProps('code')}
            />
          )}
        </>
      )}
    </Form>
  );
}
