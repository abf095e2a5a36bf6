import { Button } from '@mantine/core';
import { OwnPassword } from '@regie/contract/routes/auth.ts';
import { routes } from '@regie/contract/routes.ts';
import { useState } from 'react';
import { NewPasswordFields } from '#src/domain/sign-in/new-password-fields.tsx';
import { frSignIn } from '#src/domain/sign-in/sign-in.fr.ts';
import { api } from '#src/lib/api.ts';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { PasswordField } from '#src/ui/fields.tsx';
import { Form } from '#src/ui/form.tsx';
import { Section } from '#src/ui/record-page.tsx';
import { frSecurity } from './security.fr.ts';
import classes from './security.module.css';

const empty = { presentPassword: '', password: '', password_confirmation: '' };

export function OwnPasswordSection() {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <Section
      title={frSecurity.password.title}
      actions={
        <Button variant="default" size="compact-sm" onClick={() => setIsOpen(true)}>
          {frSignIn.changePassword}
        </Button>
      }
    >
      <p className={classes.hint}>{frSecurity.password.text}</p>
      <Dialog isOpen={isOpen} onClose={close} title={frSignIn.changePassword}>
        <Form
          schema={OwnPassword}
          initialValues={empty}
          submit={(body) => api(routes.changeOwnPassword, { body })}
          onClose={close}
          submitLabel={frSignIn.changePassword}
          secondary={<CancelButton />}
        >
          {(form) => (
            <>
              <PasswordField
                label={frSignIn.currentPassword}
                autoComplete="current-password"
                data-autofocus
                required
                {...form.getInputProps('presentPassword')}
              />
              <NewPasswordFields inputProps={form.getInputProps} />
            </>
          )}
        </Form>
      </Dialog>
    </Section>
  );
}
