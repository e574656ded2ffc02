import {
  IconActivityHeartbeat,
  IconChartLine,
  IconFlask,
  IconGauge,
  IconHexagons,
  IconListDetails,
  IconNetwork,
  IconRoute,
  IconUsers,
} from "@tabler/icons-react";
import { text } from "./text";

/** Pages of the menu, in this order. */
export const PAGES = [
  { path: "/network", label: text.pages.network, icon: IconNetwork },
  { path: "/topics", label: text.pages.topics, icon: IconHexagons },
  { path: "/participants", label: text.pages.participants, icon: IconUsers },
  { path: "/requests", label: text.pages.requests, icon: IconListDetails },
  { path: "/budgets", label: text.pages.budgets, icon: IconGauge },
  { path: "/analytics", label: text.pages.analytics, icon: IconChartLine },
  { path: "/explain", label: text.pages.explain, icon: IconRoute },
  { path: "/experiments", label: text.pages.experiments, icon: IconFlask },
  { path: "/health", label: text.pages.health, icon: IconActivityHeartbeat },
] as const;
