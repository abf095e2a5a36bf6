import { Stack, TextInput } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import { SignUp } from '@regie/contract/routes/auth.ts';
import { routes } from '@regie/contract/routes.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { frScreens } from '#src/app/screens.fr.ts';
import { NewPasswordFields } from '#src/domain/sign-in/new-password-fields.tsx';
import { frSignIn } from '#src/domain/sign-in/sign-in.fr.ts';
import { ApiError, api, apiQuery, errorSentence } from '#src/lib/api.ts';
import { fr } from '#src/lib/fr.ts';
import { Notice } from '#src/ui/alerts.tsx';
import { Form } from '#src/ui/form.tsx';
import { Skeletons } from '#src/ui/skeletons.tsx';
import { frAuth } from './auth.fr.ts';
import { AuthFrame, BackToSignIn, useQueryValue } from './auth-frame.tsx';

/** By invitation only: the e-mail address is the invitation's (product §31.16). */
export default function SignUpPage() {
  const token = useQueryValue('token');
  if (!token) return <Refused sentence={messages.unauthorized} />;
  return <Invited token={token} />;
}

function Refused({ sentence }: { sentence: string }) {
  return (
    <AuthFrame title={frScreens.auth.signUp}>
      <Stack gap="md">
        <Notice tone="error">{sentence}</Notice>
        <BackToSignIn isMain />
      </Stack>
    </AuthFrame>
  );
}

function Invited({ token }: { token: string }) {
  const [isDone, setIsDone] = useState(false);
  const invitation = useQuery({
    ...apiQuery(['invitation', token], routes.findInvitation, { query: { token } }),
    // Signing up uses the invitation: reloading it would show an error under the success message.
    staleTime: 'static',
  });
  if (invitation.isError && !invitation.data) {
    const { error } = invitation;
    const isGone = error instanceof ApiError && error.status >= 400 && error.status < 500;
    return <Refused sentence={isGone && !error.errors.global ? error.message : errorSentence(error)} />;
  }
  const email = invitation.data?.email;
  return (
    <AuthFrame title={frScreens.auth.signUp} text={isDone ? undefined : frAuth.signUpText}>
      {email === undefined ? (
        <Stack gap="md" role="status" aria-label={fr.common.loading}>
          <Skeletons count={4} h={56} />
        </Stack>
      ) : (
        <SignUpForm token={token} email={email} onDone={() => setIsDone(true)} />
      )}
    </AuthFrame>
  );
}

function SignUpForm({ token, email, onDone }: { token: string; email: string; onDone: () => void }) {
  return (
    <Form
      schema={SignUp}
      initialValues={{ fname: '', lname: '', password: '', password_confirmation: '' }}
      toBody={(values) => ({ ...values, token })}
      submit={(body) => api(routes.signUp, { body })}
      onSuccess={onDone}
      submitLabel={frAuth.signUp}
      fullWidth
      isHiddenOnSuccess
      afterSuccess={<BackToSignIn isMain />}
    >
      {(form) => (
        <>
          <TextInput
            label={frSignIn.email}
            type="email"
            value={email}
            readOnly
            variant="filled"
            autoComplete="username"
          />
          <TextInput
            label={frSignIn.fname}
            autoComplete="given-name"
            autoFocus
            required
            {...form.getInputProps('fname')}
          />
          <TextInput label={frSignIn.lname} autoComplete="family-name" required {...form.getInputProps('lname')} />
          <NewPasswordFields inputProps={form.getInputProps} label={frSignIn.password} />
        </>
      )}
    </Form>
  );
}
