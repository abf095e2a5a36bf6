import type { ComponentProps } from 'react';

interface HiddenFileInputProps
  extends Pick<ComponentProps<'input'>, 'ref' | 'accept' | 'multiple' | 'disabled' | 'aria-label'> {
  onFiles: (files: FileList | null) => void;
}

export function HiddenFileInput({ onFiles, ...rest }: HiddenFileInputProps) {
  return (
    <input
      {...rest}
      type="file"
      className="visually-hidden"
      tabIndex={-1}
      aria-hidden
      onChange={(event) => {
        onFiles(event.currentTarget.files);
        // Allows choosing the same file again.
        event.currentTarget.value = '';
      }}
    />
  );
}
