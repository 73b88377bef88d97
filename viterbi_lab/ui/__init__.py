"""The dashboard: sessions hold state, figures are pure, views show."""
