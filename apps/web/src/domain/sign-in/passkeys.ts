import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreation,
  PasskeyRequest,
} from '@regie/contract/second-factors.ts';
import type { z } from 'zod';
import { ApiError } from '#src/lib/api.ts';
import { frSignIn } from './sign-in.fr.ts';

const t = frSignIn.prompt;

function toApiError(error: unknown, rpId: string): ApiError {
  const name = error instanceof Error ? error.name : '';
  const text =
    name === 'SecurityError'
      ? t.passkeyUnknownHost(rpId)
      : name === 'InvalidStateError'
        ? t.passkeyKnown
        : t.passkeyFailed;
  return new ApiError(0, 'aborted', text, { global: text });
}

async function loadPasskeys() {
  const passkeys = await import('@simplewebauthn/browser');
  if (passkeys.browserSupportsWebAuthn()) return passkeys;
  throw new ApiError(0, 'aborted', t.passkeyUnsupported, { global: t.passkeyUnsupported });
}

/** Signs with a passkey. @throws ApiError with a French sentence */
export async function askPasskey(request: PasskeyRequest): Promise<PasskeyAssertion> {
  const { startAuthentication } = await loadPasskeys();
  try {
    const { authenticatorAttachment, ...answer } = await startAuthentication({ optionsJSON: request });
    return { ...answer, clientExtensionResults: {}, ...(authenticatorAttachment ? { authenticatorAttachment } : {}) };
  } catch (error) {
    throw toApiError(error, request.rpId);
  }
}

/** Creates a passkey. @throws ApiError with a French sentence */
export async function makePasskey(options: z.output<typeof PasskeyCreation>): Promise<PasskeyAttestation> {
  const { startRegistration } = await loadPasskeys();
  try {
    const { response, id, rawId } = await startRegistration({ optionsJSON: options });
    const { clientDataJSON, attestationObject, transports } = response;
    return {
      id,
      rawId,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON, attestationObject, ...(transports ? { transports } : {}) },
    };
  } catch (error) {
    throw toApiError(error, options.rp.id);
  }
}
