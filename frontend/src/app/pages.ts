import {
  IconActivityHeartbeat,
  IconChartLine,
  IconGauge,
  IconHexagons,
  IconListDetails,
  IconNetwork,
  IconRoute,
  IconUsers,
} from "@tabler/icons-react";

/** The pages of the menu, in its order. */
export const PAGES = [
  { path: "/network", label: "Network", icon: IconNetwork },
  { path: "/topics", label: "Topics", icon: IconHexagons },
  { path: "/participants", label: "Publishers and subscribers", icon: IconUsers },
  { path: "/requests", label: "Requests", icon: IconListDetails },
  { path: "/budgets", label: "Budgets", icon: IconGauge },
  { path: "/analytics", label: "Analytics", icon: IconChartLine },
  { path: "/explain", label: "Explain", icon: IconRoute },
  { path: "/health", label: "Health and audit", icon: IconActivityHeartbeat },
] as const;
