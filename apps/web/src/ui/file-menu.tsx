import { Button, type ButtonProps, Menu } from '@mantine/core';
import { IconChevronDown, IconDownload, IconFileTypeCsv, IconFileTypeXls } from '@tabler/icons-react';
import { useAct } from '#src/lib/act.ts';
import { fr } from '#src/lib/fr.ts';
import { type FileFormat, fileFormats } from '#src/lib/table-file.ts';
import { addWork, finishWork } from '#src/lib/work-tray.ts';
import { buttonIcon } from './button-icon.tsx';

const icons = { csv: IconFileTypeCsv, xlsx: IconFileTypeXls };

interface FileMenuProps extends Pick<ButtonProps, 'variant' | 'size' | 'disabled'> {
  label: string;
  fullLabel?: string;
  onPick: (format: FileFormat) => Promise<void>;
}

export function FileMenu({ label, fullLabel, onPick, variant = 'default', ...button }: FileMenuProps) {
  const onFailure = (result: string | undefined) =>
    result && finishWork(addWork({ title: fullLabel ?? label, unit: '' }), { state: 'failed', result });
  const { act, isBusy } = useAct({ onFailure, reloads: 'nothing' });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          {...button}
          variant={variant}
          loading={isBusy}
          leftSection={buttonIcon(IconDownload)}
          rightSection={buttonIcon(IconChevronDown, 14)}
          aria-label={fullLabel}
        >
          {label}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {fileFormats.map((format) => {
          const Icon = icons[format];
          return (
            <Menu.Item key={format} leftSection={buttonIcon(Icon)} onClick={() => act(() => onPick(format))}>
              {fr.list.format[format]}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
