"""Requests of data subjects, inventories, access packages and my data in the admin."""

from apps.privacy.admin.access.page import access_download_view, access_view
from apps.privacy.admin.inventory.page import inventory_progress_view, inventory_view
from apps.privacy.admin.my_data import my_data_download_view, my_data_view
from apps.privacy.admin.removal_run import removal_progress_view, removal_run_view
from apps.privacy.admin.requests.page import request_view
from apps.privacy.admin.requests.receive import describe_view, receive_view
from apps.privacy.admin.requests.step import step_view
from apps.privacy.admin.requests.work_list import requests_in_palette, requests_view
from config.admin_site import add_page, add_to_palette

add_page("account/data/", my_data_view, name="my_data")
add_page("account/data/download/", my_data_download_view, name="my_data_download")
add_page("privacy/requests/", requests_view, name="erasure_requests")
add_to_palette(requests_in_palette)
add_page("privacy/requests/receive/", receive_view, name="erasure_request_receive")
add_page("privacy/requests/<uuid:request_id>/", request_view, name="erasure_request")
add_page("privacy/requests/<uuid:request_id>/facts/", describe_view, name="erasure_request_facts")
add_page("privacy/requests/<uuid:request_id>/inventory/", inventory_view, name="erasure_inventory")
add_page(
    "privacy/requests/<uuid:request_id>/inventory/progress/", inventory_progress_view, name="erasure_inventory_progress"
)
add_page("privacy/requests/<uuid:request_id>/package/", access_view, name="access_package")
add_page("privacy/requests/<uuid:request_id>/package/download/", access_download_view, name="access_package_download")
add_page("privacy/requests/<uuid:request_id>/<slug:name>/", step_view, name="erasure_request_step")
add_page("privacy/runs/<uuid:run_id>/", removal_run_view, name="removal_run")
add_page("privacy/runs/<uuid:run_id>/progress/", removal_progress_view, name="removal_run_progress")
