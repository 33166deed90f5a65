"""Answer a question of figures by a calculation over rows: a change, a growth rate, an average, a share, a rank."""
