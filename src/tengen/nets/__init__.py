"""Networks: input planes, definition, training and inference."""
