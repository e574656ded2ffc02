"""Page of the dashboard: Vite's build of `frontend/`, with log-in and content policy."""
