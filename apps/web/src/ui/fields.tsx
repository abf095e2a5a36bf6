import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { fr } from '#src/fr.ts';

/** A password that can be shown while it is typed. */
export function PasswordField(props: PasswordInputProps) {
  return <PasswordInput {...props} visibilityToggleButtonProps={{ 'aria-label': fr.form.showPassword, tabIndex: 0 }} />;
}
