"""Networks: what they see, how they are defined, how they learn, and how they answer."""
