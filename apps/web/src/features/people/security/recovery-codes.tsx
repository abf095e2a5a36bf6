import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { downloadBlob } from '#src/lib/download.ts';
import { fr } from '#src/lib/fr.ts';
import { frSecurity } from './security.fr.ts';
import classes from './security.module.css';

const t = frSecurity.recovery;

/** The codes, shown once: only the button closes the dialog. */
export function RecoveryCodesModal({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { copied, copy } = useClipboard();
  const text = `${codes.join('\r\n')}\r\n`;
  return (
    <Modal
      opened={codes.length > 0}
      onClose={() => undefined}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      title={t.title}
      size="lg"
    >
      <Stack gap="md">
        <Text>{t.shown}</Text>
        <ul className={classes.codes} aria-label={t.title}>
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ul>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={() => copy(text)}>
            {copied ? fr.common.copied : t.copy}
          </Button>
          <Button variant="default" onClick={() => downloadBlob(new Blob([text], { type: 'text/plain' }), t.file)}>
            {t.download}
          </Button>
          <Button onClick={onClose} data-autofocus>
            {t.done}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
