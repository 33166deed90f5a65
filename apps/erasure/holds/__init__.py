"""Legal holds, and restrictions: what must stay, and what is out of everybody's sight meanwhile."""
