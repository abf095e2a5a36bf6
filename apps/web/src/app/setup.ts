import { styleNonce } from '#src/ui/app-theme.tsx';

// Runs before anything creates styles or schemas: the content security policy refuses styles without the nonce, and
// `eval`.
declare global {
  /** Read by the library that locks scrolling under dialogs. */
  var __webpack_nonce__: string | undefined;
  var __zod_globalConfig: { jitless?: boolean } | undefined;
}

globalThis.__webpack_nonce__ = styleNonce();
globalThis.__zod_globalConfig = { ...globalThis.__zod_globalConfig, jitless: true };
