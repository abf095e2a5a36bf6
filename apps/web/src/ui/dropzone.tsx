import { Button, CloseButton, Group } from '@mantine/core';
import { IconFileUpload } from '@tabler/icons-react';
import { type ReactNode, useId, useRef, useState } from 'react';
import { fr } from '#src/lib/fr.ts';
import { buttonIcon } from './button-icon.tsx';
import classes from './dropzone.module.css';
import { HiddenFileInput } from './hidden-file-input.tsx';
import { usePageDrop } from './page-drop.ts';
import shared from './shared.module.css';

type DropzoneProps = {
  label: string;
  accept: string;
  hint?: ReactNode;
  error?: string;
  fileName?: string;
  disabled?: boolean;
} & ({ onFile: (file: File) => void } | { onFiles: (files: readonly File[]) => void });

/** A button; the page takes files that are dropped on it. */
export function Dropzone({ label, accept, hint, error, fileName, disabled, ...taken }: DropzoneProps) {
  const isMultiple = 'onFiles' in taken;
  const zone = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const choose = isMultiple ? fr.form.chooseMany : fr.form.choose;
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
  const isOver = usePageDrop(zone, take, disabled);
  return (
    <div>
      <div ref={zone} className={classes.zone} data-drop data-over={isOver || undefined}>
        <Button
          variant="default"
          className={shared.covering}
          flex="none"
          leftSection={buttonIcon(IconFileUpload)}
          disabled={disabled}
          aria-label={`${label}\u00a0: ${fileName === undefined ? choose : `${fileName}, ${fr.form.dropReplace}`}`}
          aria-describedby={shownError ? `${id}-error` : hint ? `${id}-hint` : undefined}
          onClick={() => input.current?.click()}
        >
          {fileName === undefined ? choose : fr.form.dropReplace}
        </Button>
        <HiddenFileInput ref={input} accept={accept} multiple={isMultiple} disabled={disabled} onFiles={take} />
        <span className={shared.wrap}>
          {fileName !== undefined ? <strong>{fileName}</strong> : isMultiple ? fr.form.dropHintMany : fr.form.dropHint}
        </span>
        {hint && (
          <p className={shared.under} id={`${id}-hint`}>
            {hint}
          </p>
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
