"""Other programs as players and teachers: a GTP client (gtp) and a client of KataGo's analysis engine (katago)."""
