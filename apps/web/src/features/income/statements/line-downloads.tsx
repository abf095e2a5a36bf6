import { Menu } from '@mantine/core';
import { routes } from '@regie/contract/routes.ts';
import { lineFileFormats } from '@regie/contract/statements.ts';
import { IconTableExport } from '@tabler/icons-react';
import { errorSentence } from '#src/lib/api.ts';
import { downloadFile } from '#src/lib/file-download.ts';
import { buttonIcon } from '#src/ui/button-icon.tsx';
import { frStatements } from './statements.fr.ts';

export function LineDownloads({
  of: [field, value],
  onFailure,
}: {
  of: ['statement' | 'month', number];
  onFailure: (sentence: string) => void;
}) {
  return lineFileFormats.map((format) => (
    <Menu.Item
      key={format}
      leftSection={buttonIcon(IconTableExport)}
      onClick={() =>
        void downloadFile(`${routes.downloadLines.path}?format=${format}&${field}=${value}`).catch((error: unknown) =>
          onFailure(errorSentence(error)),
        )
      }
    >
      {frStatements.page.downloadLines[format]}
    </Menu.Item>
  ));
}
