import { expect, it } from 'vitest';
import { seal, unseal } from './secrets.ts';

const value = Buffer.from('deux faders');
const sealed = seal('un secret', 'totp', value);

it('a sealed value opens with its secret and purpose only, and sealing it twice yields different bytes', () => {
  expect(unseal('un secret', 'totp', sealed)).toEqual(value);
  expect(unseal('un autre secret', 'totp', sealed)).toBeUndefined();
  expect(unseal('un secret', 'regie-oidc', sealed)).toBeUndefined();
  expect(seal('un secret', 'totp', value)).not.toEqual(sealed);
});

it('a sealed value with any byte changed, or cut anywhere, does not open', () => {
  for (const [at, byte] of sealed.entries()) {
    const changed = Buffer.from(sealed);
    changed[at] = byte ^ 1;
    expect(unseal('un secret', 'totp', changed), `byte ${at}`).toBeUndefined();
    expect(unseal('un secret', 'totp', sealed.subarray(0, at)), `${at} bytes`).toBeUndefined();
  }
});
