// The nonce of this page's content security policy. Libraries that make style elements are given it here, before
// any of them runs.

declare global {
  var __webpack_nonce__: string | undefined;
}

/** The page's nonce; empty where a page has none. */
export const nonce = document.querySelector<HTMLElement>("script[nonce]")?.nonce ?? "";

globalThis.__webpack_nonce__ = nonce; // read by react-remove-scroll, under Mantine's dialogs
