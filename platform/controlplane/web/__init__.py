"""Views, serializers and addresses of all resources."""
