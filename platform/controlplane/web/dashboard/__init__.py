"""Page of the dashboard: Vite's build of `frontend/`, with the log-in and the policy of the platform."""
