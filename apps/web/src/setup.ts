import { styleNonce } from '#src/ui/app-theme.tsx';

// Before anything that makes styles or schemas: the policy refuses styles without the nonce, and `eval`.
declare global {
  /** Read by the library that locks the scroll under a dialog. */
  var __webpack_nonce__: string | undefined;
  /** Zod's settings, read when it loads, which is with the first page that needs a schema. */
  var __zod_globalConfig: { jitless?: boolean } | undefined;
}

globalThis.__webpack_nonce__ = styleNonce();
globalThis.__zod_globalConfig = { ...globalThis.__zod_globalConfig, jitless: true };
