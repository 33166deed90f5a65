// A page of a document: the size of its image, keys for quotes and pages, and the answer that led here.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
    const said = document.getElementById("doc-said");
    const sheet = document.querySelector(".doc-sheet");
    const scroll = document.querySelector(".doc-scroll");
    const read = document.querySelector(".doc-read");
    if (!read) {
        return;
    }
    const sizes = ["fit", "100", "150", "200"];
    const buttons = [...document.querySelectorAll("button[data-zoom]")];

    // A browser may keep nothing: then each page begins at its own size.
    function remembered(name) {
        try {
            return window.sessionStorage.getItem(name);
        } catch {
            return null;
        }
    }
    function remember(name, value) {
        try {
            window.sessionStorage.setItem(name, value);
        } catch {
            return;
        }
    }

    function showQuote() {
        const box = sheet && sheet.querySelector(".doc-quote");
        if (box) {
            const place = box.getBoundingClientRect();
            const frame = scroll.getBoundingClientRect();
            scroll.scrollTop += place.top - frame.top - frame.height / 3;
            scroll.scrollLeft += place.left - frame.left - 24;
        }
        const mark = document.getElementById("quote");
        if (mark) {
            read.scrollTop += mark.getBoundingClientRect().top - read.getBoundingClientRect().top - read.clientHeight / 3;
        }
    }

    // The way to #quote has scrolled both: what is beside each other is shown with its bar.
    window.addEventListener("load", () => {
        if (window.matchMedia("(min-width: 1100px)").matches) {
            document.querySelector(".doc-bar").scrollIntoView({ block: "nearest" });
            showQuote();
        }
    });

    function zoom(size) {
        sheet.dataset.zoom = size;
        for (const button of buttons) {
            button.setAttribute("aria-pressed", String(button.dataset.zoom === size));
        }
        remember("doc-zoom", size);
        showQuote();
    }

    if (sheet) {
        document.querySelector("[data-zooms]").hidden = false;
        for (const button of buttons) {
            button.addEventListener("click", () => zoom(button.dataset.zoom));
        }
        const before = remembered("doc-zoom");
        zoom(sizes.includes(before) ? before : "fit");
        const image = sheet.querySelector("img");
        const failed = () => {
            document.getElementById("image-failed").hidden = false;
            scroll.hidden = true;
        };
        image.addEventListener("error", failed);
        image.addEventListener("load", showQuote);
        if (image.complete && !image.naturalWidth) {
            failed();
        }
    } else {
        showQuote();
    }

    // Keys of one character: they can be turned off, and stay out of what somebody types or scrolls.
    const keys = document.querySelector("[data-keys]");
    const turned = keys.querySelector("input");
    keys.hidden = false;
    turned.checked = remembered("doc-keys") !== "off";
    turned.addEventListener("change", () => remember("doc-keys", turned.checked ? "on" : "off"));

    const none = {
        n: "There is no further quote.",
        p: "There is no quote before this one.",
        ArrowLeft: "This is the first page.",
        ArrowRight: "This is the last page.",
    };
    const scrolls = (element) => element && element.scrollWidth > element.clientWidth + 1;

    document.addEventListener("keydown", (event) => {
        const target = event.target instanceof Element ? event.target : document.body;
        if (!turned.checked || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) {
            return;
        }
        if (target.closest("textarea, select, [contenteditable], [role=dialog], input:not([type=checkbox])")) {
            return;
        }
        if (event.key.startsWith("Arrow") && scrolls(target.closest(".doc-scroll, .doc-table, .gb-scroll"))) {
            return;
        }
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        if (sheet && (key === "+" || key === "=" || key === "-")) {
            event.preventDefault();
            const number = sizes.indexOf(sheet.dataset.zoom) + (key === "-" ? -1 : 1);
            const size = sizes[Math.min(Math.max(number, 0), sizes.length - 1)];
            zoom(size);
            said.textContent = size === "fit" ? "The image fits the width." : `The image has ${size} %.`;
            return;
        }
        if (!Object.hasOwn(none, key)) {
            return;
        }
        const link = document.querySelector(`[data-key="${key}"]`);
        event.preventDefault();
        if (link) {
            link.click();
        } else {
            said.textContent = none[key];
        }
    });

    // The answer has a page of its own; its text is brought here, as text alone.
    const answer = document.getElementById("doc-answer");
    if (answer) {
        showAnswer(answer).catch(() => {
            answer.textContent = "The answer can't be shown here. It may be gone, or not yours to see.";
        });
    }
});

async function showAnswer(answer) {
    const response = await fetch(answer.dataset.answer, { credentials: "same-origin", redirect: "error" });
    if (!response.ok) {
        throw new Error(String(response.status));
    }
    // The section alone: the styles of a whole page would offend this page's Content-Security-Policy.
    const [section] = (await response.text()).match(/<section[^>]*\sid="answer"[\s\S]*?<\/section>/) || [""];
    const page = new DOMParser().parseFromString(section, "text/html");
    const lines = [...page.querySelectorAll(".ask-text p")];
    if (!lines.length) {
        throw new Error("no answer");
    }
    answer.replaceChildren(
        ...lines.map((line) => {
            const shown = document.createElement("p");
            for (const part of line.childNodes) {
                const mark = part instanceof Element && part.matches(".ask-mark") ? part.textContent.match(/\d+/) : null;
                const hit = mark && document.querySelector(`[data-hit="${mark[0]}"]`);
                if (hit) {
                    const link = document.createElement("a");
                    link.href = hit.getAttribute("href");
                    link.textContent = `[${mark[0]}]`;
                    shown.append(" ", link);
                } else {
                    shown.append(mark ? ` [${mark[0]}]` : part.textContent);
                }
            }
            return shown;
        }),
    );
}
