"""The pages of people who are not in yet, or not any more: an invitation, a password, a mailbox."""
