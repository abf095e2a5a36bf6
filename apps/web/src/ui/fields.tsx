import { PasswordInput, type PasswordInputProps, TextInput, type TextInputProps } from '@mantine/core';
import { completeUrl } from '@regie/contract/web-link.ts';
import { useState } from 'react';
import { fr } from '#src/lib/fr.ts';

export function PasswordField(props: PasswordInputProps) {
  const [isVisible, setIsVisible] = useState(false);
  return (
    <PasswordInput
      {...props}
      visible={isVisible}
      onVisibilityChange={setIsVisible}
      // Mantine sets aria-invalid on the frame, not on the field.
      aria-invalid={props.error ? true : undefined}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': isVisible ? fr.form.hidePassword : fr.form.showPassword }}
    />
  );
}

interface UrlFieldProps extends Omit<TextInputProps, 'value' | 'onChange'> {
  value?: string;
  onChange?: (value: string) => void;
}

export function UrlField({ value = '', onChange, onBlur, ...rest }: UrlFieldProps) {
  return (
    <TextInput
      {...rest}
      type="url"
      inputMode="url"
      value={value}
      onChange={(event) => onChange?.(event.currentTarget.value)}
      onBlur={(event) => {
        const completed = completeUrl(value);
        if (completed !== value) onChange?.(completed);
        onBlur?.(event);
      }}
    />
  );
}
