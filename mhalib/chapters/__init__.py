"""What each notebook alone needs: its explorers, checks, pictures and mathematics."""
