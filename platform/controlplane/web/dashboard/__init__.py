"""The dashboard's page: what Vite built from `frontend/`, behind this site's log-in and policy."""
