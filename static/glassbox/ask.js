// The Ask page: examples that fill the box, scopes that hold together, a sign that the search is under way.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
    for (const button of document.querySelectorAll("[data-print]")) {
        button.hidden = false;
        button.addEventListener("click", () => window.print());
    }

    // A link to what lies folded away opens it.
    function openTarget() {
        const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
        for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) {
            fold.open = true;
        }
    }
    window.addEventListener("hashchange", openTarget);
    openTarget();

    // A follow-up is sent once; the way to its answer is told on the answer's own page.
    const followUp = document.querySelector(".ask-follow-up");
    if (followUp) {
        const words = followUp.querySelector("textarea");
        const button = followUp.querySelector("button");
        const idle = button.textContent;
        words.addEventListener("keydown", (event) => {
            if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
                event.preventDefault();
                followUp.requestSubmit();
            }
        });
        followUp.addEventListener("submit", (event) => {
            if (followUp.getAttribute("aria-busy") === "true") {
                event.preventDefault();
                return;
            }
            followUp.setAttribute("aria-busy", "true");
            button.textContent = "Searching…";
        });
        window.addEventListener("pageshow", () => {
            followUp.setAttribute("aria-busy", "false");
            button.textContent = idle;
        });
    }

    const form = document.getElementById("ask-form");
    const question = document.getElementById("id_question");
    const count = document.getElementById("question-count");
    if (!form || !question) {
        return;
    }
    const maximum = Number(question.dataset.maximumChars);

    function showCount() {
        const length = question.value.length;
        count.textContent = length > maximum * 0.8 ? `${length} of at most ${maximum} characters.` : "";
        count.classList.toggle("ask-over", length > maximum);
    }
    question.addEventListener("input", showCount);
    showCount();

    document.addEventListener("click", (event) => {
        const button = event.target.closest("[data-question]");
        if (button) {
            question.value = button.dataset.question;
            showCount();
            question.focus();
            form.scrollIntoView({ block: "start" });
        }
    });

    // The examples come after the page: after a change of the policy or the documents, checking them takes some seconds.
    // Somebody who types at once needs none, and should not have to share the machine with them.
    const examples = document.getElementById("examples");
    const NOT_YET = 202;
    async function showExamples(triesLeft) {
        let response;
        try {
            response = await fetch(examples.dataset.url, { credentials: "same-origin" });
        } catch {
            return;
        }
        if (response.status === NOT_YET && triesLeft) {
            setTimeout(showExamples, 3000, triesLeft - 1);
        } else if (response.ok && !response.redirected) {
            examples.querySelector("[data-groups]").innerHTML = await response.text();
            examples.hidden = false;
        }
    }
    if (examples && "url" in examples.dataset) {
        examples.hidden = true;
        const timer = setTimeout(showExamples, 1000, 20);
        question.addEventListener("input", () => clearTimeout(timer), { once: true });
        form.addEventListener("submit", () => clearTimeout(timer));
    }

    // Enter alone makes a new line, as in every text box; with Ctrl it asks.
    question.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            form.requestSubmit();
        }
    });

    // A scope includes all below it: ticking it ticks those, and unticking one of those unticks it.
    const scopes = [...form.querySelectorAll("input[name=scopes]")];
    const below = (key) => scopes.filter((scope) => scope.dataset.parent === key);
    const above = (scope) => scopes.find((other) => other.value === scope.dataset.parent);
    function tickBelow(scope) {
        for (const child of below(scope.value)) {
            child.checked = true;
            tickBelow(child);
        }
    }
    form.addEventListener("change", (event) => {
        const scope = event.target;
        if (scope.name !== "scopes") {
            return;
        }
        if (scope.checked) {
            tickBelow(scope);
            return;
        }
        for (let parent = above(scope); parent; parent = above(parent)) {
            parent.checked = false;
        }
    });

    const label = form.querySelector(".ask-submit [data-busy]");
    const said = document.getElementById("ask-busy");
    function showBusy(busy) {
        form.setAttribute("aria-busy", String(busy));
        label.textContent = busy ? label.dataset.busy : label.dataset.idle;
        said.textContent = busy ? "The first question after a start takes longest: the model is loaded then." : "";
    }
    form.addEventListener("submit", (event) => {
        if (form.getAttribute("aria-busy") === "true") {
            event.preventDefault();
            return;
        }
        showBusy(true);
    });
    // Glassbox has just started and loads its model. Nobody who waits for that need press the button again.
    const ASK_AGAIN_MS = 2000;
    if ("asksAgain" in form.dataset) {
        const timer = setTimeout(() => form.requestSubmit(), ASK_AGAIN_MS);
        form.addEventListener("input", () => {
            clearTimeout(timer);
            said.textContent = "";
        });
        form.addEventListener("submit", () => clearTimeout(timer));
    }
    // Coming back by the browser's button finds the page as it was left: searching.
    window.addEventListener("pageshow", () => {
        showBusy(false);
        if ("asksAgain" in form.dataset) {
            said.textContent = "This page asks again by itself in a moment.";
        }
    });

    const openAll = document.querySelector(".ask-open-all");
    if (openAll) {
        const panels = [...document.querySelectorAll(".ask-way details")];
        openAll.hidden = false;
        openAll.addEventListener("click", () => {
            const open = panels.some((panel) => !panel.open);
            for (const panel of panels) {
                panel.open = open;
            }
            openAll.textContent = open ? openAll.dataset.close : openAll.dataset.open;
        });
    }

    // A passage may be longer than its frame: it opens at the quote.
    for (const details of document.querySelectorAll(".ask-show")) {
        details.addEventListener("toggle", () => {
            const passage = details.querySelector(".ask-passage");
            passage.scrollTop = Math.max(0, passage.querySelector("mark").offsetTop - passage.clientHeight / 3);
        });
    }

    // The answer is what was waited for: the keyboard goes on from there. (The page is hidden until Unfold's scripts
    // have started, so the browser's own autofocus finds nothing to focus.)
    const answer = document.getElementById("answer");
    if (answer) {
        answer.focus({ preventScroll: true });
    } else {
        question.focus();
    }
});
