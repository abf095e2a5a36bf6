import { OwnPassword } from '@regie/contract/routes/auth.ts';
import { routes } from '@regie/contract/routes.ts';
import { fr } from '#src/fr.ts';
import { frSecurity } from '#src/fr-security.ts';
import { api } from '#src/lib/api.ts';
import { PasswordField } from '#src/ui/fields.tsx';
import { Form } from '#src/ui/form.tsx';
import { Section } from '#src/ui/record-page.tsx';
import classes from './security.module.css';

const empty = { presentPassword: '', password: '', password_confirmation: '' };

export function OwnPasswordForm({ onChange }: { onChange: () => void }) {
  return (
    <Section title={frSecurity.password.title}>
      <p className={classes.hint}>{frSecurity.password.text}</p>
      <Form
        schema={OwnPassword}
        initialValues={empty}
        submit={(body) => api(routes.changeOwnPassword, { body })}
        onSuccess={onChange}
        submitLabel={fr.auth.changePassword}
        hideAfterSuccess
      >
        {(form) => (
          <>
            <PasswordField
              label={frSecurity.factors.password}
              autoComplete="current-password"
              required
              {...form.getInputProps('presentPassword')}
            />
            <PasswordField
              label={fr.auth.newPassword}
              description={fr.auth.passwordHint}
              inputWrapperOrder={['label', 'input', 'description', 'error']}
              autoComplete="new-password"
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
    </Section>
  );
}
