import { Loader } from "@mantine/core";
import { createBrowserRouter, Navigate } from "react-router";
import { NotFound, RouteError } from "./RouteError";
import { redirectToWelcome } from "./redirectToWelcome";
import { Shell } from "./Shell";

/** Every page is a chunk of its own, loaded when it is opened. */
export const router = createBrowserRouter([
  {
    path: "/",
    element: <Shell />,
    errorElement: <RouteError />,
    hydrateFallbackElement: <Loader role="status" m="xl" aria-label="Loading" />,
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
      { path: "explain", lazy: () => import("@/pages/explain") },
      { path: "health", lazy: () => import("@/pages/health") },
      { path: "account", lazy: () => import("@/pages/account") },
      { path: "welcome", lazy: () => import("@/pages/welcome") },
      { path: "*", element: <NotFound /> },
    ],
  },
]);
