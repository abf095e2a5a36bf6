import { TextInput } from '@mantine/core';
import { ResetRequest } from '@regie/contract/routes/auth.ts';
import { routes } from '@regie/contract/routes.ts';
import { useState } from 'react';
import { fr } from '#src/fr.ts';
import { api } from '#src/lib/api.ts';
import { Form } from '#src/ui/form.tsx';
import { AuthFrame, BackToSignIn } from './auth-frame.tsx';

export default function ResetPasswordPage() {
  const [isSent, setIsSent] = useState(false);
  return (
    <AuthFrame title={fr.auth.resetTitle} text={isSent ? undefined : fr.auth.resetText}>
      <Form
        schema={ResetRequest}
        initialValues={{ email: '' }}
        submit={(body) => api(routes.requestPasswordReset, { body })}
        onSuccess={() => setIsSent(true)}
        submitLabel={fr.auth.sendLink}
        fullWidth
        secondary={<BackToSignIn />}
        isHiddenOnSuccess
        afterSuccess={<BackToSignIn isMain />}
      >
        {(form) => (
          <TextInput
            label={fr.auth.email}
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
