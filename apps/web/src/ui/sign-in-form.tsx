import { TextInput } from '@mantine/core';
import { SignIn } from '@regie/contract/routes/auth.ts';
import { routes } from '@regie/contract/routes.ts';
import type { ReactNode } from 'react';
import { fr } from '#src/fr.ts';
import { api } from '#src/lib/api.ts';
import { PasswordField } from './fields.tsx';
import { Form } from './form.tsx';

interface SignInFormProps {
  /** Who is known to be there: only the password is wanted. */
  email?: string;
  onSignedIn: () => void;
  secondary?: ReactNode;
}

export function SignInForm({ email = '', onSignedIn, secondary }: SignInFormProps) {
  const startsAtPassword = email !== '';
  return (
    <Form
      schema={SignIn}
      initialValues={{ email, password: '' }}
      submit={(body) => api(routes.signIn, { body })}
      onSuccess={onSignedIn}
      submitLabel={fr.auth.signIn}
      fullWidth
      secondary={secondary}
    >
      {(form) => (
        <>
          <TextInput
            label={fr.auth.email}
            type="email"
            autoComplete="username"
            autoFocus={!startsAtPassword}
            required
            {...form.getInputProps('email')}
          />
          <PasswordField
            label={fr.auth.password}
            autoComplete="current-password"
            autoFocus={startsAtPassword}
            data-autofocus={startsAtPassword || undefined}
            required
            {...form.getInputProps('password')}
          />
        </>
      )}
    </Form>
  );
}
