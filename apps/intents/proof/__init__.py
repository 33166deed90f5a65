"""What a change of policy lets through, stated exhaustively: a closed list of theorems with all counterexamples."""
