import { ActionIcon, TextInput } from '@mantine/core';
import { messages } from '@regie/contract/messages.ts';
import { findBarcodeFault, Isrc } from '@regie/contract/routes/releases.ts';
import type { ToolLibrary, ToolTrack } from '@regie/contract/routes/tools.ts';
import { routes } from '@regie/contract/routes.ts';
import { isBarcodeValid } from '@regie/values/barcode.ts';
import { IconCheck, IconPencil } from '@tabler/icons-react';
import { type FormEvent, useRef, useState } from 'react';
import { useAct } from '#src/lib/act.ts';
import { ApiError, api } from '#src/lib/api.ts';
import { useAsked } from '#src/lib/asked.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { useCan } from '#src/lib/session.ts';
import { useUnsavedChanges } from '#src/lib/unsaved-changes.ts';
import { Dialog } from '#src/ui/dialog.tsx';
import { IconButton } from '#src/ui/icon-button.tsx';
import type { ListColumn } from '#src/ui/list/list-columns.tsx';
import { libraryColumns, libraryName, trackColumns, trackName } from './tool-columns.tsx';
import { frTools } from './tools.fr.ts';
import classes from './tools.module.css';

const t = frTools.empty;

const bareDigits = (text: string) => text.replaceAll(/[\s\u00a0-]/g, '');

const kinds = {
  isrc: {
    read: (text: string) => Isrc.safeParse(text).data ?? undefined,
    faultOf: () => messages.invalidIsrc,
    label: t.isrcOf,
    save: t.saveIsrcOf,
    done: t.filledIsrc,
    placeholder: t.isrcPlaceholder,
    send: (id: number, isrc: string) => api(routes.fillIsrc, { params: { id }, body: { isrc } }),
  },
  barcode: {
    read: (text: string) => (isBarcodeValid(bareDigits(text)) ? bareDigits(text) : undefined),
    faultOf: (text: string) => findBarcodeFault(bareDigits(text)),
    label: t.barcodeOf,
    save: t.saveBarcodeOf,
    done: t.filledBarcode,
    placeholder: t.barcodePlaceholder,
    send: (id: number, barcode: string) => api(routes.fillBarcode, { params: { id }, body: { barcode } }),
  },
} as const;

interface FillCodeProps {
  kind: keyof typeof kinds;
  id: number;
  title: string;
  onDone?: () => void;
}

/** A field in the row for its missing code; Enter saves and moves to the next row's field. */
export function FillCode({ kind, id, title, onDone }: FillCodeProps) {
  const { read, faultOf, label, save, done, placeholder, send } = kinds[kind];
  const [text, setText] = useState('');
  const [failure, setFailure] = useState<string>();
  const { act, isBusy } = useAct({
    onFailure: (sentence, error) => setFailure((error instanceof ApiError && error.errors[kind]) || sentence),
  });
  const form = useRef<HTMLFormElement>(null);
  useUnsavedChanges(text.trim() !== '', text.trim() !== '' && !isBusy);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const code = read(text);
    if (code === undefined) return setFailure(faultOf(text));
    act(async () => {
      await send(id, code);
      // The field is removed with its focus: focus the next row's field, or the row itself.
      const row = form.current?.closest('[data-row]');
      const next = row?.nextElementSibling?.querySelector<HTMLElement>('input[name="code"]');
      (next ?? row?.querySelector<HTMLElement>('[data-row-open]'))?.focus();
      flashSuccess(done(code, title));
      onDone?.();
    });
  };
  return (
    <form ref={form} className={classes.fill} onSubmit={submit} noValidate>
      <TextInput
        name="code"
        size="xs"
        aria-label={label(title)}
        placeholder={placeholder}
        maxLength={60}
        inputMode={kind === 'barcode' ? ('numeric' as const) : undefined}
        value={text}
        error={failure}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setFailure(undefined);
        }}
        onBlur={() => setText((typed) => read(typed) ?? typed)}
      />
      <ActionIcon
        type="submit"
        variant="default"
        size={32}
        aria-label={save(title)}
        loading={isBusy}
        disabled={text.trim() === ''}
      >
        <IconCheck size={16} stroke={1.8} aria-hidden />
      </ActionIcon>
    </form>
  );
}

export function FillCodeButton(props: Omit<FillCodeProps, 'onDone'>) {
  const { ask, dialog } = useAsked<void>();
  const { placeholder, label } = kinds[props.kind];
  return (
    <>
      <IconButton
        variant="default"
        icon={IconPencil}
        label={`${placeholder}, ${props.title}`}
        tooltip={placeholder}
        onClick={() => ask()}
      />
      <Dialog {...dialog} title={label(props.title)}>
        <FillCode {...props} onDone={dialog.onClose} />
      </Dialog>
    </>
  );
}

/** Whether codes may be filled in. After the capability is revoked the field stays, and shows the refusal beside it. */
export function useCanFill(): boolean {
  const isAllowed = useCan()('edit_tools');
  const [wasAllowed] = useState(isAllowed);
  return isAllowed || wasAllowed;
}

const fillable = <Row,>(
  column: ListColumn<Row>,
  fieldOf: (row: Row) => FillCodeProps | undefined,
): ListColumn<Row> => ({
  ...column,
  isTableOnly: true,
  cell: (row) => {
    const field = fieldOf(row);
    return field ? <FillCode key={field.id} {...field} /> : column.cell?.(row);
  },
});
export const fillableIsrc = fillable<ToolTrack>(trackColumns.isrc, (track) =>
  track.isrc === null ? { kind: 'isrc', id: track.trackId, title: trackName(track) } : undefined,
);
export const fillableBarcode = fillable<ToolLibrary>(libraryColumns.barcode, (library) =>
  library.barcode === null ? { kind: 'barcode', id: library.id, title: libraryName(library) } : undefined,
);
