"""The pages behind mailed links: accept an invitation, set a password, confirm a mailbox."""
