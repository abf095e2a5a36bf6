import { Secret, TOTP } from 'otpauth';

const periodMs = 30_000;

/** The authenticator app's code, `steps` periods of 30 seconds from now. */
export const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * periodMs });
