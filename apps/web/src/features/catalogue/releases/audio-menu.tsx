import { Menu } from '@mantine/core';
import type { Track } from '@regie/contract/routes/releases.ts';
import { IconDownload, IconUpload } from '@tabler/icons-react';
import { type Ref, useImperativeHandle, useRef, useState } from 'react';
import { HiddenFileInput } from '#src/ui/hidden-file-input.tsx';
import { audioTypes } from './audio-field.tsx';
import { audioOf } from './release-labels.ts';
import { frReleases } from './releases.fr.ts';

const t = frReleases.audio;

interface AudioMenuProps {
  /** The button's id while the menu is open: it labels the menu. */
  id: string;
  /** The menu's track, and the button that opened it. */
  at: { track: Track; button: HTMLElement } | undefined;
  onClose: () => void;
  onFile: (track: Track, file: File) => Promise<void>;
}

/** The actions on a track's audio; one menu for all rows of a table. */
export function AudioMenu({ id, at, onClose, onFile }: AudioMenuProps) {
  const fileInput = useRef<HTMLInputElement>(null);
  // The selected track stays while the menu closes and a file is chosen.
  const [last, setLast] = useState(at);
  if (at && at !== last) setLast(at);
  const audio = last && audioOf(last.track);
  return (
    <>
      {/* Mounted while closed too: it returns the focus to the element that had it on opening. */}
      <Menu id={id} opened={at !== undefined} onClose={onClose} position="bottom-end" withinPortal>
        <Menu.Target>
          <Anchor to={last?.button ?? null} />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            leftSection={<IconUpload size={16} stroke={1.7} aria-hidden />}
            onClick={() => fileInput.current?.click()}
          >
            {audio ? t.replace : t.send}
          </Menu.Item>
          {audio && (
            <Menu.Item
              component="a"
              href={audio.url}
              download
              leftSection={<IconDownload size={16} stroke={1.7} aria-hidden />}
            >
              {t.download}
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <HiddenFileInput
        ref={fileInput}
        accept={audioTypes}
        onFiles={(files) => {
          const file = files?.[0];
          if (file && last) void onFile(last.track, file);
        }}
      />
    </>
  );
}

/** Represents the button that opened the menu, which is rendered elsewhere. */
function Anchor({ to, ref }: { to: HTMLElement | null; ref?: Ref<HTMLElement | null> }) {
  useImperativeHandle<HTMLElement | null, HTMLElement | null>(ref, () => to, [to]);
  return null;
}
