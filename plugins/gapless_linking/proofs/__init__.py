"""What re-checks certificates: plain programs that share nothing with the methods."""
