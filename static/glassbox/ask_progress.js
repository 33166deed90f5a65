// The stages of a question that have ended, while the page with its answer is awaited.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
    const EVERY_MS = 500;
    const form = document.getElementById("ask-form");
    const name = document.getElementById("ask-progress-name");
    const section = document.getElementById("ask-progress");
    if (!form || !name || !section) {
        return;
    }
    const list = section.querySelector("ol");
    let timer = 0;

    // crypto.randomUUID exists only on pages that came over HTTPS.
    function randomName() {
        const hex = [...crypto.getRandomValues(new Uint8Array(16))].map((each) => each.toString(16).padStart(2, "0"));
        return [hex.slice(0, 4), hex.slice(4, 6), hex.slice(6, 8), hex.slice(8, 10), hex.slice(10)]
            .map((part) => part.join(""))
            .join("-");
    }

    function line(stage) {
        const item = document.createElement("li");
        item.textContent = [stage.title, stage.elapsed, stage.note].filter(Boolean).join(", ");
        return item;
    }

    async function show(url) {
        try {
            const response = await fetch(url, { headers: { Accept: "application/json" }, credentials: "same-origin" });
            if (!response.ok) {
                stop();
                return;
            }
            const { stages } = await response.json();
            list.replaceChildren(...stages.map(line));
            section.hidden = stages.length === 0;
        } catch {
            // The next page is being loaded, or the network is away: the answer does not depend on this.
        }
        if (timer) {
            timer = setTimeout(show, EVERY_MS, url);
        }
    }

    function stop() {
        clearTimeout(timer);
        timer = 0;
        section.hidden = true;
        list.replaceChildren();
    }

    form.addEventListener("submit", (event) => {
        if (event.defaultPrevented) {
            return;
        }
        name.value = randomName();
        clearTimeout(timer);
        timer = setTimeout(show, EVERY_MS, name.dataset.url.replace(/[0-]{36}/, name.value));
    });
    // Coming back by the browser's button finds the page as it was left.
    window.addEventListener("pageshow", stop);
});
