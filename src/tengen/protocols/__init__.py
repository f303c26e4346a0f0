"""How other programs talk to us: GTP (gtp) and KataGo's analysis protocol (analysis)."""
