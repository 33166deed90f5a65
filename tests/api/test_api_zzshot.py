import pytest
pytestmark = pytest.mark.django_db(transaction=True)
def test_shot(live_server):
    from playwright.sync_api import sync_playwright
    with sync_playwright() as p:
        b=p.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        page=b.new_page(viewport={"width":1200,"height":1400})
        bad=[]
        page.on("requestfailed", lambda r: bad.append(r.url))
        page.on("console", lambda m: print(m.text))
        page.goto(live_server.url+"/api/v1/docs/")
        page.wait_for_selector(".opblock", timeout=60000)
        page.screenshot(path="/tmp/gbapi_docs.png")
        page.click("#operations-Questions-ask_question .opblock-summary")
        page.wait_for_timeout(1500)
        page.screenshot(path="/tmp/gbapi_docs2.png", full_page=False)
        print(bad)
