/** Texts about the live stream. */
export const text = {
  live: "live",
  connecting: "connecting…",
  age: (age: string) => `data ${age} old`,
  logIn: "Logged out. Log in again",
  opening: "The live stream is connecting.",
  disconnected: "The live stream is disconnected.",
  reconnect: (reason: string) =>
    `The live stream is disconnected: ${reason}. It reconnects automatically. Click to reconnect now.`,
  reasons: {
    lost: "the connection was lost",
    silent: "the platform sends no messages",
  },
};
