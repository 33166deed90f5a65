"""The names under which reports print a figure and people ask for it, in English and German."""
