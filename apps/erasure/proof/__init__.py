"""What shows that a run with a physical proof has removed what it named. In a process with the administrator's access.

looked_for, gathering      which things are looked for: a sample of every target, and what is distinctive of it
safe                       where they are kept between the control and the scan: sealed, outside the database
preparing                  before the first removal: needles, and the control that a scan finds them
disk                       after the last one: the physical phase, one for all runs that wait, and a scan for each
after_restore              the same of what a restore brought back, and its replay removed again
ending                     how the run ends, and what is said of it in the log
prover                     going on with every run, one process at a time; killed anywhere, the next one goes on
"""
