import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { testOrigin } from './origin.ts';

/** A software authenticator: the output of browser and security key (WebAuthn, ES256). */
export interface Passkey {
  id: string;
  /** The result of `navigator.credentials.create`. */
  register(challenge: string): object;
  /** The result of `navigator.credentials.get`. */
  sign(challenge: string, options?: { origin?: string }): object;
}

const sha256 = (data: Uint8Array | string) => createHash('sha256').update(data).digest();
const base64url = (data: Uint8Array | string) => Buffer.from(data).toString('base64url');
const uint16 = (value: number) => Buffer.from([value >> 8, value & 255]);

const userPresentAndVerified = 0b101;
const hasCredentialData = 0b1000000;

export function createPasskey(): Passkey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);
  let signCount = 0;
  // {1: 2, 3: -7, -1: 1, -2: x, -3: y} in CBOR.
  const coseKey = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);
  const authenticatorData = (flags: number, credential = Buffer.alloc(0)) => {
    signCount += 1;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(signCount);
    return Buffer.concat([sha256(new URL(testOrigin).hostname), Buffer.from([flags]), counter, credential]);
  };
  const clientData = (type: string, challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const envelope = { id: base64url(id), rawId: base64url(id), type: 'public-key', clientExtensionResults: {} };
  return {
    id: base64url(id),
    register(challenge) {
      const credential = Buffer.concat([Buffer.alloc(16), uint16(id.length), id, coseKey]);
      const data = authenticatorData(userPresentAndVerified | hasCredentialData, credential);
      // {"fmt": "none", "attStmt": {}, "authData": bytes} in CBOR.
      const attestation = Buffer.concat([
        Buffer.from('a363666d74646e6f6e656761747453746d74a068617574684461746159', 'hex'),
        uint16(data.length),
        data,
      ]);
      return {
        ...envelope,
        response: {
          clientDataJSON: base64url(clientData('webauthn.create', challenge, testOrigin)),
          attestationObject: base64url(attestation),
          transports: ['usb'],
        },
      };
    },
    sign(challenge, { origin = testOrigin } = {}) {
      const data = authenticatorData(userPresentAndVerified);
      const client = clientData('webauthn.get', challenge, origin);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      return {
        ...envelope,
        response: {
          clientDataJSON: base64url(client),
          authenticatorData: base64url(data),
          signature: base64url(signature),
        },
      };
    },
  };
}
