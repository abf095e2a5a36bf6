import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useState } from 'react';
import { fr } from '#src/fr.ts';

/** A password that can be shown while it is typed. */
export function PasswordField(props: PasswordInputProps) {
  const [isVisible, setIsVisible] = useState(false);
  return (
    <PasswordInput
      {...props}
      visible={isVisible}
      onVisibilityChange={setIsVisible}
      // Mantine marks the frame as invalid, not the field.
      aria-invalid={props.error ? true : undefined}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': isVisible ? fr.form.hidePassword : fr.form.showPassword }}
    />
  );
}
