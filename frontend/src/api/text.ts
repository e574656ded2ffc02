/** Texts for errors that the server does not describe. */
export const text = {
  unreachable: {
    title: "The server cannot be reached",
    detail: "The dashboard cannot reach the server. Your input is kept. Try again when the server responds.",
  },
  unknown: {
    title: "The operation failed",
    detail: "The operation failed, and the server gave no reason. Try again, or read the log of the server.",
  },
  requestFailed: "The request failed",
};
