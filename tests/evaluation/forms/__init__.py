"""Questions of figures by form: invented companies, their reports, and questions whose answers follow from them."""
