"""Protocols: GTP (gtp) and KataGo's analysis protocol (analysis)."""
