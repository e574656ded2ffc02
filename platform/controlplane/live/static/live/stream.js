// The live stream: connect, resume after the last id, come back by oneself.

const PATH = "/ws/v1/live/";
const SILENCE = 25000; // the server pings every 10 s
const WAITS = [300, 1000, 2000, 5000, 10000, 15000];
const STEADY = 10000; // a connection that lasted this long resets the waits
const LOG_IN = 4401;

export class Stream {
  /**
   * `begin(hello)` gives the id to begin after, for the first connection; `event(event)` takes each event,
   * in order and once; `reload(newest)` says that events were missed for good and the state must be read
   * anew; `state(state)` takes {name: "connecting" | "live" | "away", heard, why, retryAt, loggedOut}.
   */
  constructor({ begin, event, reload, state }) {
    this.on = { begin, event, reload, state };
    this.last = null; // everything up to this id was taken
    this.heard = 0; // when the server was heard last
    this.tries = 0;
    this.socket = null;
    this.timer = 0;
    addEventListener("online", () => this.#hurry());
    document.addEventListener("visibilitychange", () => document.hidden || this.#hurry());
  }

  /** Connect, now and whenever the connection is lost. */
  open() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.#tell("connecting");
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}${PATH}`);
    this.socket = socket;
    this.opened = Date.now();
    this.why = "";
    this.#watch();
    socket.onmessage = ({ data }) => socket === this.socket && this.#take(JSON.parse(data));
    socket.onclose = ({ code, reason }) => socket === this.socket && this.#lost(code, reason);
  }

  #take(message) {
    this.heard = Date.now();
    this.#watch();
    switch (message.type) {
      case "hello":
        if (this.last === null) this.last = this.on.begin(message);
        this.#say({ type: "from", id: this.last });
        break;
      case "reload":
        this.last = message.newest;
        this.on.reload(message.newest);
        this.#say({ type: "from", id: message.newest });
        break;
      case "up-to-date":
      case "replayed":
        this.#tell("live");
        break;
      case "event":
        this.last = message.id;
        this.on.event(message);
        break;
      case "ping":
        this.last = Math.max(this.last ?? 0, message.newest); // all up to it was sent, or is not for us
        break;
      case "error":
        this.why = message.detail;
        break;
    }
  }

  #lost(code, reason) {
    clearTimeout(this.silence);
    this.socket = null;
    if (Date.now() - this.opened > STEADY) this.tries = 0;
    const wait = WAITS[Math.min(this.tries, WAITS.length - 1)] * (0.8 + 0.4 * Math.random());
    this.tries += 1;
    this.timer = setTimeout(() => this.open(), wait);
    this.#tell("away", {
      why: reason || this.why || "the connection was lost",
      retryAt: Date.now() + wait,
      loggedOut: code === LOG_IN,
    });
  }

  /** A server that says nothing, not even ping, is gone: do not wait for the network to notice. */
  #watch() {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => {
      const socket = this.socket;
      this.#lost(0, "the server has gone silent");
      socket?.close();
    }, SILENCE);
  }

  #hurry() {
    if (this.timer && this.tries > 1) {
      this.tries = 1;
      this.open();
    }
  }

  #say(message) {
    this.socket.send(JSON.stringify(message));
  }

  #tell(name, more = {}) {
    this.on.state({ name, heard: this.heard, ...more });
  }
}
