"""Small widgets that know nothing about Lamplight."""
