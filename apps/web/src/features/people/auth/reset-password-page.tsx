import { TextInput } from '@mantine/core';
import { ResetRequest } from '@regie/contract/routes/auth.ts';
import { routes } from '@regie/contract/routes.ts';
import { useState } from 'react';
import { frScreens } from '#src/app/screens.fr.ts';
import { frSignIn } from '#src/domain/sign-in/sign-in.fr.ts';
import { api } from '#src/lib/api.ts';
import { Form } from '#src/ui/form.tsx';
import { frAuth } from './auth.fr.ts';
import { AuthFrame, BackToSignIn } from './auth-frame.tsx';

export default function ResetPasswordPage() {
  const [isSent, setIsSent] = useState(false);
  return (
    <AuthFrame title={frScreens.auth.reset} text={isSent ? undefined : frAuth.resetText}>
      <Form
        schema={ResetRequest}
        initialValues={{ email: '' }}
        submit={(body) => api(routes.requestPasswordReset, { body })}
        onSuccess={() => setIsSent(true)}
        submitLabel={frAuth.sendLink}
        fullWidth
        secondary={<BackToSignIn />}
        isHiddenOnSuccess
        afterSuccess={<BackToSignIn isMain />}
      >
        {(form) => (
          <TextInput
            label={frSignIn.email}
            type="email"
            autoComplete="username"
            autoFocus
            required
            {...form.getInputProps('email')}
          />
        )}
      </Form>
    </AuthFrame>
  );
}
