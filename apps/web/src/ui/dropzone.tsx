import { Box, Button, CloseButton, Group } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { type ReactNode, useId, useRef, useState } from 'react';
import { fr } from '#src/lib/fr.ts';
import classes from './dropzone.module.css';
import { HiddenFileInput } from './hidden-file-input.tsx';
import shared from './shared.module.css';

type DropzoneProps = {
  label: string;
  accept: string;
  hint?: ReactNode;
  error?: string;
  fileName?: string;
  disabled?: boolean;
} & ({ onFile: (file: File) => void } | { onFiles: (files: readonly File[]) => void });

export function Dropzone({ label, accept, hint, error, fileName, disabled, ...taken }: DropzoneProps) {
  const isMultiple = 'onFiles' in taken;
  const input = useRef<HTMLInputElement>(null);
  const choose = isMultiple ? fr.form.chooseMany : fr.form.choose;
  const [isOver, setIsOver] = useState(false);
  const id = useId();
  const [dismissed, setDismissed] = useState<string>();
  const shownError = error === dismissed ? undefined : error;
  const take = (files: FileList | null) => {
    const [first, ...others] = files ?? [];
    if (!first) return;
    setDismissed(undefined);
    if ('onFiles' in taken) taken.onFiles([first, ...others]);
    else taken.onFile(first);
  };
  return (
    <div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut, the button inside does the same */}
      <div
        className={classes.zone}
        data-over={isOver || undefined}
        data-error={shownError !== undefined || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          if (!disabled) setIsOver(true);
        }}
        onDragLeave={() => setIsOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setIsOver(false);
          if (!disabled) take(event.dataTransfer.files);
        }}
      >
        <IconFileUpload size={28} stroke={1.4} aria-hidden />
        <Box component="p" c="var(--ink)" className={shared.wrap} id={`${id}-label`}>
          {fileName !== undefined ? <strong>{fileName}</strong> : isMultiple ? fr.form.dropHintMany : fr.form.dropHint}
        </Box>
        <Button
          variant="default"
          className={shared.covering}
          flex="none"
          disabled={disabled}
          aria-label={`${label}\u00a0: ${fileName === undefined ? choose : `${fileName}, ${fr.form.dropReplace}`}`}
          aria-describedby={shownError ? `${id}-error` : hint ? `${id}-hint` : undefined}
          aria-invalid={shownError !== undefined || undefined}
          onClick={() => input.current?.click()}
        >
          {fileName === undefined ? choose : fr.form.dropReplace}
        </Button>
        <HiddenFileInput ref={input} accept={accept} multiple={isMultiple} disabled={disabled} onFiles={take} />
        {hint && (
          <Box component="p" fz={12} id={`${id}-hint`}>
            {hint}
          </Box>
        )}
      </div>
      {shownError && (
        <Group gap={6} mt={6} c="var(--negative)" fz={13} wrap="nowrap">
          <p id={`${id}-error`} role="alert">
            {shownError}
          </p>
          <CloseButton size="sm" aria-label={fr.common.dismiss} onClick={() => setDismissed(error)} />
        </Group>
      )}
    </div>
  );
}
