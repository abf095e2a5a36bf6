import { Button, Text, TextInput } from '@mantine/core';
import { SignIn } from '@regie/contract/routes/auth.ts';
import { routes } from '@regie/contract/routes.ts';
import type { FactorPrompt } from '@regie/contract/second-factors.ts';
import { type ReactNode, useState } from 'react';
import { api } from '#src/lib/api.ts';
import { PasswordField } from '#src/ui/fields.tsx';
import { Form } from '#src/ui/form.tsx';
import { FactorForm } from './factor-form.tsx';
import { frSignIn } from './sign-in.fr.ts';

interface SignInFormProps {
  email?: string;
  onSignedIn: () => void;
  secondary?: ReactNode;
}

export function SignInForm({ email = '', onSignedIn, secondary }: SignInFormProps) {
  const startsAtPassword = email !== '';
  const [prompt, setPrompt] = useState<FactorPrompt>();
  if (prompt) {
    return (
      <>
        <Text>{frSignIn.prompt.text}</Text>
        <FactorForm
          prompt={prompt}
          submit={(body) => api(routes.signInWithFactor, { body })}
          onDone={onSignedIn}
          secondary={
            <Button variant="subtle" color="gray" fullWidth onClick={() => setPrompt(undefined)}>
              {frSignIn.prompt.restart}
            </Button>
          }
        />
      </>
    );
  }
  return (
    <Form
      schema={SignIn}
      initialValues={{ email, password: '' }}
      submit={(body) => api(routes.signIn, { body })}
      onSuccess={({ data }) => (data.factor ? setPrompt(data.factor) : onSignedIn())}
      submitLabel={frSignIn.signIn}
      fullWidth
      secondary={secondary}
    >
      {(form) => (
        <>
          <TextInput
            label={frSignIn.email}
            type="email"
            autoComplete="username"
            autoFocus={!startsAtPassword}
            required
            {...form.getInputProps('email')}
          />
          <PasswordField
            label={frSignIn.password}
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
