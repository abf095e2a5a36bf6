import { Button, Divider, Stack, TextInput } from '@mantine/core';
import { FactorAnswer, type FactorPrompt } from '@regie/contract/second-factors.ts';
import { IconFingerprint } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useAct } from '#src/lib/act.ts';
import type { ApiAnswer } from '#src/lib/api.ts';
import { Message } from '#src/ui/alerts.tsx';
import { Form } from '#src/ui/form.tsx';
import { askPasskey } from './passkeys.ts';
import { frSignIn } from './sign-in.fr.ts';

const t = frSignIn.prompt;

interface FactorFormProps {
  prompt: FactorPrompt;
  submit: (answer: FactorAnswer) => Promise<ApiAnswer<unknown>>;
  onDone: () => void;
  secondary?: ReactNode;
}

export function FactorForm({ prompt, submit, onDone, secondary }: FactorFormProps) {
  const { token, passkey } = prompt;
  const hasCode = prompt.totp || prompt.recovery;
  const { act, isBusy, failure, setFailure } = useAct({ reloads: 'form' });
  const answerWithPasskey = (asked: NonNullable<typeof passkey>) =>
    act(async () => {
      await submit({ token, passkey: await askPasskey(asked) });
      onDone();
    });
  return (
    <Stack gap="md">
      <Message text={failure} onDismiss={setFailure} />
      {passkey && (
        <Button
          variant={hasCode ? 'default' : 'filled'}
          leftSection={<IconFingerprint size={18} stroke={1.7} aria-hidden />}
          loading={isBusy}
          autoFocus
          data-autofocus
          fullWidth
          onClick={() => answerWithPasskey(passkey)}
        >
          {t.usePasskey}
        </Button>
      )}
      {passkey && hasCode && <Divider label={t.or} />}
      {hasCode ? (
        <Form
          schema={FactorAnswer}
          initialValues={{ code: '' }}
          toBody={({ code }) => ({ token, code })}
          submit={submit}
          onSuccess={onDone}
          submitLabel={t.submit}
          fullWidth
          secondary={secondary}
        >
          {(form) => (
            <TextInput
              label={t.code}
              description={prompt.totp ? t.codeTotp : t.codeRecovery}
              autoComplete="one-time-code"
              autoFocus={!passkey}
              data-autofocus={!passkey || undefined}
              required
              {...form.getInputProps('code')}
            />
          )}
        </Form>
      ) : (
        secondary
      )}
    </Stack>
  );
}
