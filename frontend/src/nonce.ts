// The nonce of the content security policy. Libraries that create style elements receive it here, before they run.

declare global {
  var __webpack_nonce__: string | undefined;
}

/** Nonce of the page, or an empty string. */
export const nonce = document.querySelector<HTMLElement>("script[nonce]")?.nonce ?? "";

globalThis.__webpack_nonce__ = nonce; // for react-remove-scroll, which Mantine's dialogs use
