
import pytest
from tests.browser.test_document_page import *
from apps.corpus.models import Chunk
D="/work/shared/data/financebench-dev/documents/"
def test_look(acme, sign_in):
    make_member(acme, "bob", Role.ANALYST, password=PASSWORD)
    for name, quote, n in (("PEPSICO_2023Q1_EARNINGS.pdf","Gross profit | ",4),("AMCOR_2023Q4_EARNINGS.pdf","Adjusted EBIT | ",4),("ULTABEAUTY_2023Q4_EARNINGS.pdf","",1)):
        made = ingest(acme, open(D+name,"rb").read(), filename=name, title=name)
        run(acme, made.job)
        with open_scope(tenant=acme.id, reason="a test"):
            doc = Document.objects.get(id=made.document.id)
            t = doc.pages.get(number=n).text
        if quote:
            s=t.index(quote); e=t.find("\n", s)
        else:
            s=t.index("\n", 900)+1; e=t.find("\n", s)
        page = sign_in("bob")
        page.set_viewport_size({"width":1440,"height":900})
        page.goto(address(doc, [(n,s,e),(n,0,20)]))
        page.wait_for_timeout(1500)
        page.screenshot(path=f"/tmp/look-{name[:4]}.png")
        if name.startswith("AMC"):
            page.evaluate("document.documentElement.classList.add('dark')")
            page.screenshot(path=f"/tmp/look-dark.png")
        page.set_viewport_size({"width":400,"height":900})
        page.goto(address(doc, [(n,s,e),(n,0,20)]).replace("#quote",""))
        page.wait_for_timeout(800)
        page.screenshot(path=f"/tmp/look-{name[:4]}-narrow.png", full_page=False)
        page.evaluate("document.querySelector('.doc-image').scrollIntoView()")
        page.wait_for_timeout(300)
        page.screenshot(path=f"/tmp/look-{name[:4]}-narrow2.png", full_page=False)
