"""Panel views: they read a session and show it; they hold no state of their own."""
