import type { GetInputPropsReturnType } from '@mantine/form';
import { PasswordField } from '#src/ui/fields.tsx';
import { frSignIn } from './sign-in.fr.ts';

interface NewPasswordFieldsProps {
  inputProps: (name: 'password' | 'password_confirmation') => GetInputPropsReturnType;
  label?: string;
  autoFocus?: boolean;
}

export function NewPasswordFields({ inputProps, label = frSignIn.newPassword, autoFocus }: NewPasswordFieldsProps) {
  return (
    <>
      <PasswordField
        label={label}
        description={frSignIn.passwordHint}
        autoComplete="new-password"
        autoFocus={autoFocus}
        required
        {...inputProps('password')}
      />
      <PasswordField
        label={frSignIn.passwordConfirmation}
        autoComplete="new-password"
        required
        {...inputProps('password_confirmation')}
      />
    </>
  );
}
