import type { Values } from "@/common/formatting/event";

/** An event whose path is asked for: who sends it, on which topic, with which values. */
export interface Question {
  publisher: string;
  topic: string;
  values: Values;
}
