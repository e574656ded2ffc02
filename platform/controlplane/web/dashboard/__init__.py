"""Page of the dashboard: Vite's build of `frontend/`, with this site's log-in and policy."""
