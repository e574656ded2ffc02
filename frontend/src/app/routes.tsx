import { Loader } from "@mantine/core";
import { createBrowserRouter, Navigate } from "react-router";
import { text as common } from "@/common/text";
import { NotFound, RouteError } from "./RouteError";
import { redirectToWelcome } from "./redirectToWelcome";
import { Shell } from "./Shell";

/** Routes of the dashboard. Each page is a separate chunk, loaded when it opens. */
export const router = createBrowserRouter([
  {
    path: "/",
    element: <Shell />,
    errorElement: <RouteError />,
    hydrateFallbackElement: <Loader role="status" m="xl" aria-label={common.loading} />,
    children: [
      { index: true, element: <Navigate to="/network" replace /> },
      {
        path: "network",
        lazy: () => import("@/pages/network"),
        loader: redirectToWelcome,
        shouldRevalidate: () => false,
      },
      { path: "topics", lazy: () => import("@/pages/topics") },
      { path: "topics/:name", lazy: () => import("@/pages/topics/topic") },
      { path: "participants", lazy: () => import("@/pages/participants") },
      { path: "requests", lazy: () => import("@/pages/requests") },
      { path: "budgets", lazy: () => import("@/pages/budgets") },
      { path: "analytics", lazy: () => import("@/pages/analytics") },
      { path: "experiments", lazy: () => import("@/pages/experiments") },
      { path: "explain", lazy: () => import("@/pages/explain") },
      { path: "health", lazy: () => import("@/pages/health") },
      { path: "account", lazy: () => import("@/pages/account") },
      { path: "welcome", lazy: () => import("@/pages/welcome") },
      { path: "*", element: <NotFound /> },
    ],
  },
]);
