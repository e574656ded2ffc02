import type { Values } from "@/common/formatting/event";

/** Event to explain: publisher, topic and values. */
export interface Question {
  publisher: string;
  topic: string;
  values: Values;
}
