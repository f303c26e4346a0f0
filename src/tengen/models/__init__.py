"""What models answer with: verdicts, reasons, and what is built from them."""
