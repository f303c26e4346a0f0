"""van Niekerk & Kroon: Decision Trees for Computer Go Features."""
