"""The start page and the health of the installation in the admin."""

from apps.operations.admin.overview import signs_view
from config.admin_site import add_page

add_page("signs-of-life/", signs_view, name="signs_of_life")
