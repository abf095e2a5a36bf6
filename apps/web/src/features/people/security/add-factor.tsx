import { Box, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import type { Security } from '@regie/contract/routes/security.ts';
import { routes } from '@regie/contract/routes.ts';
import { AddFactorStart, AddTotp, type FactorKind } from '@regie/contract/second-factors.ts';
import { useState } from 'react';
import { encode } from 'uqr';
import { makePasskey } from '#src/domain/sign-in/passkeys.ts';
import { frSignIn } from '#src/domain/sign-in/sign-in.fr.ts';
import { useAct } from '#src/lib/act.ts';
import { type ApiData, api } from '#src/lib/api.ts';
import { flashSuccess } from '#src/lib/flash.ts';
import { fr } from '#src/lib/fr.ts';
import { Message } from '#src/ui/alerts.tsx';
import { Identifier } from '#src/ui/copy-button.tsx';
import { CancelButton, Dialog } from '#src/ui/dialog.tsx';
import { PasswordField } from '#src/ui/fields.tsx';
import { Form } from '#src/ui/form.tsx';
import { frSecurity } from './security.fr.ts';

const t = frSecurity.factors;
/** Names are asked beside the password: `AddPasskey` and `AddTotp` combine them with the factor's response. */
const Start = AddFactorStart.extend({ name: AddTotp.shape.name });

interface AddFactorProps {
  kind: FactorKind;
  firstFactor: Security['firstFactor'];
  onClose: () => void;
  onAdded: (recoveryCodes: readonly string[]) => void;
}

export function AddFactorModal({ kind, firstFactor, onClose, onAdded }: AddFactorProps) {
  const [totp, setTotp] = useState<ApiData<typeof routes.startTotp> & { name: string }>();
  const done = ({ data, message }: { data: { recoveryCodes: string[] }; message: string }) => {
    flashSuccess(message);
    onAdded(data.recoveryCodes);
  };
  const cancel = <CancelButton />;
  return (
    <Dialog isOpen onClose={onClose} title={kind === 'totp' ? t.addTotp : t.addPasskey}>
      {totp ? (
        <Form
          key="code"
          schema={AddTotp}
          initialValues={{ code: '' }}
          toBody={({ code }) => ({ token: totp.token, name: totp.name, code })}
          submit={(body) => api(routes.addTotp, { body })}
          onSuccess={done}
          submitLabel={frSignIn.prompt.submit}
          secondary={cancel}
        >
          {(form) => (
            <>
              <Text>{t.scan}</Text>
              <QrCode text={totp.uri} />
              <span>
                {t.secret}
                {fr.common.colon}
                <Identifier value={totp.secret} name={t.secret} />
              </span>
              <TextInput
                label={t.code}
                inputMode="numeric"
                autoComplete="one-time-code"
                data-autofocus
                autoFocus
                required
                {...form.getInputProps('code')}
              />
            </>
          )}
        </Form>
      ) : (
        <Form
          key="start"
          schema={Start}
          initialValues={{ name: kind === 'totp' ? t.totpName : t.passkeyName, password: '', mailCode: '' }}
          submit={async ({ name, ...body }) => {
            if (kind === 'totp') {
              const started = await api(routes.startTotp, { body });
              setTotp({ ...started.data, name });
              return { ...started, data: undefined };
            }
            const { data } = await api(routes.startPasskey, { body });
            const passkey = await makePasskey(data.options);
            return api(routes.addPasskey, { body: { token: data.token, name, passkey } });
          }}
          onSuccess={({ data, message }) => data && done({ data, message })}
          submitLabel={t.continue}
          secondary={cancel}
        >
          {(form) => (
            <>
              <Text>{kind === 'totp' ? t.totpText : t.passkeyText}</Text>
              <TextInput
                label={t.name}
                description={t.nameHint}
                data-autofocus
                required
                {...form.getInputProps('name')}
              />
              {firstFactor?.needsPassword && (
                <PasswordField
                  label={frSignIn.currentPassword}
                  autoComplete="current-password"
                  required
                  {...form.getInputProps('password')}
                />
              )}
              {firstFactor?.needsMailCode && (
                <>
                  <SendCode />
                  <TextInput
                    label={t.mailCode}
                    description={t.mailCodeHint}
                    required
                    {...form.getInputProps('mailCode')}
                  />
                </>
              )}
            </>
          )}
        </Form>
      )}
    </Dialog>
  );
}

function SendCode() {
  const { act, isBusy, failure, setFailure } = useAct({ reloads: 'nothing' });
  return (
    <Stack gap="xs">
      <Message tone="error" text={failure} onDismiss={setFailure} />
      <Group>
        <Button variant="default" loading={isBusy} onClick={() => act(() => api(routes.sendFactorCode))}>
          {t.sendMailCode}
        </Button>
      </Group>
    </Stack>
  );
}

/** Dark on white in both schemes, which cameras require. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 3 });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <Box
      component="svg"
      display="block"
      w={200}
      mx="auto"
      bdrs={8}
      bg="#fff"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={t.qr}
      shapeRendering="crispEdges"
    >
      <path d={path} fill="#000" />
    </Box>
  );
}
