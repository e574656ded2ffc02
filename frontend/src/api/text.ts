/** Texts for errors that the platform does not describe. */
export const text = {
  unreachable: {
    title: "The platform cannot be reached",
    detail:
      "The platform does not respond. The dashboard keeps your input. Try again when the platform responds.",
  },
  unknown: {
    title: "The operation failed",
    detail: "The platform returned an error without a reason. Try again, or read the log of the web server.",
  },
  requestFailed: "The request failed",
};
