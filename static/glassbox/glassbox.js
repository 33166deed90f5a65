// Small things that pages need: times in the reader's zone, ids to copy, progress that moves, parts that come later.
"use strict";

(() => {
    const zoned = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

    function showLocalTimes(root) {
        for (const element of root.querySelectorAll("time.gb-time:not([data-local])")) {
            const at = new Date(element.dateTime);
            if (!Number.isNaN(at.getTime())) {
                element.textContent = zoned.format(at);
                element.dataset.local = "1";
            }
        }
    }

    async function copy(button) {
        const said = button.title;
        try {
            await navigator.clipboard.writeText(button.dataset.copy);
            button.classList.add("gb-copied");
            button.title = "Copied";
        } catch {
            // No clipboard outside of https: select the text instead, so that a key press copies it.
            const range = document.createRange();
            const shown = document.getElementById("secret") || button;
            range.selectNodeContents(shown);
            getSelection().removeAllRanges();
            getSelection().addRange(range);
            button.title = "Selected: press Ctrl C";
        }
        setTimeout(() => {
            button.classList.remove("gb-copied");
            button.title = said;
        }, 1500);
    }

    // One request for all that moves on the page, every second and a half, until nothing does.
    async function pollProgress() {
        const moving = [...document.querySelectorAll("[data-progress]")];
        if (moving.length === 0) {
            return;
        }
        const ids = moving.map((element) => element.dataset.progress).join(",");
        let states = {};
        try {
            const answer = await fetch(`${moving[0].dataset.progressUrl}?ids=${ids}`, {
                headers: { Accept: "application/json" },
            });
            states = answer.ok ? await answer.json() : {};
        } catch {
            // The server is away; ask again.
        }
        for (const element of moving) {
            const state = states[element.dataset.progress];
            if (!state) {
                continue;
            }
            element.innerHTML = state.html;
            showLocalTimes(element);
            if (!state.moving) {
                delete element.dataset.progress;
                element.classList.remove("gb-moving");
                // What the document became (its pages, or why it failed) stands on the page itself.
                if (element.closest("#document-state")) {
                    location.reload();
                }
            }
        }
        setTimeout(pollProgress, 1500);
    }

    async function loadFragment(element) {
        try {
            const answer = await fetch(element.dataset.fragment, { headers: { Accept: "text/html" } });
            if (answer.ok && !answer.redirected) {
                element.innerHTML = await answer.text();
                showLocalTimes(element);
                // Nothing of it will move any more.
                if (element.querySelector("[data-fragment-done]")) {
                    return;
                }
            }
        } catch {
            // The server is away; ask again.
        }
        const everyMs = Number(element.dataset.fragmentEveryMs);
        if (everyMs > 0) {
            setTimeout(() => loadFragment(element), everyMs);
        }
    }

    // The palette (Ctrl K) shows what comes back from the server, and nothing if that is no list.
    function tellFailedSearch(event) {
        const answer = event.detail.xhr;
        const found = answer?.status === 200 && answer.responseText.includes('id="command-results-list"');
        if (event.detail.requestConfig?.elt?.id !== "search-input-command" || found) {
            return;
        }
        event.detail.shouldSwap = false;
        const said = document.createElement("p");
        said.className = "gb-palette-none";
        said.setAttribute("role", "alert");
        said.textContent = answer?.status === 200
            ? "The search failed: you are signed out. Load the page again to sign in."
            : "The search failed. Change what you typed to search again.";
        document.getElementById("command-results").replaceChildren(said);
    }
    for (const name of ["htmx:beforeSwap", "htmx:sendError"]) {
        document.addEventListener(name, tellFailedSearch);
    }

    document.addEventListener("click", (event) => {
        const button = event.target.closest("[data-copy]");
        if (button) {
            copy(button);
        }
    });

    document.addEventListener("DOMContentLoaded", () => {
        // Unfold draws its icons as words in a font of symbols: a screen reader would read "description Documents".
        for (const icon of document.querySelectorAll(".material-symbols-outlined")) {
            icon.setAttribute("aria-hidden", "true");
        }
        showLocalTimes(document);
        pollProgress();
        document.querySelectorAll("[data-fragment]").forEach(loadFragment);
        // The attribute alone is passed over now and then after a form was sent with the Enter key.
        document.querySelector("[autofocus]")?.focus();
        const target = location.hash && document.getElementById(location.hash.slice(1));
        if (target instanceof HTMLDetailsElement) {
            target.open = true;
        }
    });

    window.addEventListener("hashchange", () => {
        const target = document.getElementById(location.hash.slice(1));
        if (target instanceof HTMLDetailsElement) {
            target.open = true;
        }
    });
})();
