"""Discovery of links by LLDP."""
