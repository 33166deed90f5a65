// The editor of a policy draft: rows to add and to remove, kinds to drag into order, and what it comes to as you type.
// The server tells what it comes to (policy_draft_preview), so that the page and the submission never differ.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
    const form = document.getElementById("draft-form");
    if (!form) {
        return;
    }
    const PAUSE_MS = 350;
    const kept = `glassbox-draft:${location.pathname}`;
    const saved = document.getElementById("saved");
    const moved = document.getElementById("moved");
    const save = document.getElementById("save");
    let dirty = "dirty" in form.dataset;
    let leaving = false;
    let asked = 0;
    let timer = 0;
    let fullContextOf = "";

    form.classList.add("gd-js");

    function changed() {
        dirty = true;
        say("Not saved yet");
        clearTimeout(timer);
        timer = setTimeout(preview, PAUSE_MS);
    }

    // Said once: a screen reader reads it whenever it is written.
    function say(text) {
        if (saved.textContent !== text) {
            saved.textContent = text;
        }
    }

    // --- What it comes to ---------------------------------------------------------------------------------------------

    async function preview() {
        const mine = ++asked;
        let text = "";
        try {
            const answer = await fetch(form.dataset.preview, {
                method: "POST",
                body: new URLSearchParams(new FormData(form)),
            });
            if (!answer.ok || answer.redirected) {
                throw new Error("refused");
            }
            text = await answer.text();
        } catch {
            say("Not saved yet. What it comes to could not be asked for.");
            return;
        }
        if (mine !== asked) {
            return;
        }
        const parts = document.createElement("div");
        parts.innerHTML = text;
        for (const slot of form.querySelectorAll("[data-slot]")) {
            slot.replaceChildren();
        }
        for (const part of parts.querySelectorAll("template[data-for]")) {
            document.getElementById(part.dataset.for)?.replaceChildren(part.content);
        }
        chooseFullContext();
        say("Not saved yet");
    }

    function chooseFullContext() {
        const choice = document.getElementById("full-context-of");
        if (!choice) {
            return;
        }
        choice.parentElement.hidden = false;
        choice.value = fullContextOf;
        if (choice.selectedIndex < 0) {
            choice.value = fullContextOf = "";
        }
        for (const row of document.querySelectorAll("[data-full-context]")) {
            row.hidden = fullContextOf !== "" && row.dataset.fullContext !== fullContextOf;
        }
    }

    // --- Rows -----------------------------------------------------------------------------------------------------------

    const rowsOf = (list) => [...list.querySelectorAll(":scope > [data-row]")];
    const textOf = (row) => row.querySelector("input");

    // One empty line is enough where more can be asked for.
    for (const list of form.querySelectorAll("[data-rows]")) {
        rowsOf(list)
            .filter((row) => textOf(row).value === "")
            .slice(1)
            .forEach((row) => row.remove());
    }

    function addRow(list) {
        const rows = rowsOf(list);
        const last = rows[rows.length - 1];
        let row = last;
        if (textOf(last).value !== "") {
            row = last.cloneNode(true);
            const text = textOf(row);
            text.value = "";
            text.removeAttribute("id");
            text.removeAttribute("aria-invalid");
            text.removeAttribute("aria-describedby");
            row.classList.remove("gd-bad");
            row.querySelector(".gd-error")?.remove();
            const choice = row.querySelector("select");
            choice.value = choice.name === "example-of" ? list.closest("[data-intent]").dataset.intent : "supporting";
            last.after(row);
        }
        textOf(row).focus();
    }

    function removeRow(row) {
        const list = row.parentElement;
        const next = row.nextElementSibling || row.previousElementSibling;
        if (next) {
            row.remove();
            textOf(next).focus();
        } else {
            textOf(row).value = "";
            textOf(row).focus();
        }
        changed();
    }

    function moveExample(choice) {
        const row = choice.closest("[data-row]");
        const intent = document.getElementById(`intent-${choice.value}`);
        const list = intent?.querySelector('[data-rows="examples"]');
        if (!list || list === row.parentElement || textOf(row).value === "") {
            return;
        }
        const from = row.parentElement;
        const empty = rowsOf(list).find((each) => textOf(each).value === "");
        list.insertBefore(row, empty || null);
        const title = intent.querySelector("summary strong").textContent;
        textOf(row).setAttribute("aria-label", `Review example of ${title}`);
        moved.textContent = `Moved to ${title}.`;
        if (rowsOf(from).length === 0) {
            // The list lost its last line: give it an empty one, as every list has.
            const spare = row.cloneNode(true);
            textOf(spare).value = "";
            textOf(spare).removeAttribute("id");
            spare.querySelector("select").value = from.closest("[data-intent]").dataset.intent;
            from.append(spare);
        }
        textOf(rowsOf(from)[0]).focus();
    }

    // --- Kinds in their order -------------------------------------------------------------------------------------------

    const budgets = document.getElementById("budgets");
    const kinds = () => [...budgets.querySelectorAll("[data-budget]")];

    function renumber(row) {
        kinds().forEach((each, index) => {
            each.querySelector(".gd-place input").value = index + 1;
        });
        const place = kinds().indexOf(row) + 1;
        moved.textContent = `${row.querySelector(".gd-kind [data-title]").textContent} is now number ${place} of ${kinds().length}.`;
        changed();
    }

    function step(button) {
        const row = button.closest("[data-budget]");
        const up = button.dataset.move === "up";
        const other = up ? row.previousElementSibling : row.nextElementSibling;
        if (other) {
            other[up ? "before" : "after"](row);
            renumber(row);
        } else {
            moved.textContent = up ? "It is the first already." : "It is the last already.";
        }
        button.focus();
    }

    budgets.addEventListener("pointerdown", (event) => {
        const handle = event.target.closest(".gd-handle");
        if (!handle || event.button !== 0) {
            return;
        }
        event.preventDefault();
        const row = handle.closest("[data-budget]");
        const before = kinds().indexOf(row);
        row.classList.add("gd-dragged");

        function drag(move) {
            for (const other of kinds()) {
                const box = other.getBoundingClientRect();
                if (other === row || move.clientY < box.top || move.clientY > box.bottom) {
                    continue;
                }
                const down = kinds().indexOf(other) > kinds().indexOf(row);
                // Only past its middle, or rows of different heights would jump to and fro.
                if (down === move.clientY > box.top + box.height / 2) {
                    other[down ? "after" : "before"](row);
                }
                return;
            }
        }

        function drop() {
            document.removeEventListener("pointermove", drag);
            document.removeEventListener("pointerup", drop);
            document.removeEventListener("pointercancel", drop);
            row.classList.remove("gd-dragged");
            if (kinds().indexOf(row) !== before) {
                renumber(row);
            }
        }

        document.addEventListener("pointermove", drag);
        document.addEventListener("pointerup", drop);
        document.addEventListener("pointercancel", drop);
    });

    // --- Events ---------------------------------------------------------------------------------------------------------

    form.addEventListener("click", (event) => {
        const button = event.target.closest("button");
        const link = event.target.closest('a[href^="#"]');
        if (link) {
            for (let part = document.getElementById(link.hash.slice(1)); part; part = part.parentElement) {
                if (part instanceof HTMLDetailsElement) {
                    part.open = true;
                }
            }
        }
        if (button?.matches("[data-add-row]")) {
            addRow(listAbove(button));
        } else if (button?.matches("[data-remove-row]")) {
            removeRow(button.closest("[data-row]"));
        } else if (button?.matches("[data-move]")) {
            step(button);
        }
    });

    function listAbove(button) {
        let element = button.previousElementSibling;
        while (!element.matches("[data-rows]")) {
            element = element.previousElementSibling;
        }
        return element;
    }

    form.addEventListener("input", (event) => {
        const field = event.target;
        if (field.id === "full-context-of" || field.id.startsWith("try-")) {
            return;
        }
        const intent = field.closest("[data-intent]");
        if (intent && field.id === `label-${intent.dataset.intent}`) {
            const title = field.value.trim() || "New intent";
            intent.querySelector("summary strong").textContent = title;
            form.querySelector(`[data-matrix="${intent.dataset.intent}"] th a`).textContent = title;
        }
        changed();
    });

    form.addEventListener("change", (event) => {
        const field = event.target;
        if (field.id === "full-context-of") {
            fullContextOf = field.value;
            chooseFullContext();
        } else if (field.name === "example-of") {
            moveExample(field);
        } else if (field.matches("[data-remove-intent]")) {
            const intent = field.closest("[data-intent]");
            intent.classList.toggle("gd-removed", field.checked);
            form.querySelector(`[data-matrix="${intent.dataset.intent}"]`).classList.toggle("gd-removed", field.checked);
        }
    });

    form.addEventListener("keydown", (event) => {
        const row = event.target.closest?.("[data-row]");
        if (event.key === "Enter" && row && event.target === textOf(row)) {
            event.preventDefault();
            addRow(row.parentElement);
        }
    });

    document.addEventListener("keydown", (event) => {
        if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "s") {
            event.preventDefault();
            form.requestSubmit(save);
        }
    });

    // --- A text tried on the profile ------------------------------------------------------------------------------------

    async function tryText(button) {
        const shown = document.getElementById("tried");
        shown.replaceChildren();
        try {
            const answer = await fetch(button.formAction, {
                method: "POST",
                body: new URLSearchParams(new FormData(form)),
                headers: { "X-Requested-With": "fetch" },
            });
            if (!answer.ok || answer.redirected) {
                throw new Error("refused");
            }
            shown.innerHTML = await answer.text();
        } catch {
            shown.innerHTML = '<div class="gb-alert" role="alert"><p>The text could not be tried. Try again.</p></div>';
        }
    }

    form.addEventListener("submit", (event) => {
        if (event.submitter?.id === "try") {
            event.preventDefault();
            tryText(event.submitter);
            return;
        }
        leaving = true;
        const open = [...form.querySelectorAll("details[open]")].map((each) => each.id);
        sessionStorage.setItem(kept, JSON.stringify({ open, top: form.getBoundingClientRect().top }));
    });

    window.addEventListener("beforeunload", (event) => {
        if (dirty && !leaving) {
            event.preventDefault();
        }
    });

    // A page that is brought back by the browser's own Back key was not left for good.
    window.addEventListener("pageshow", () => {
        leaving = false;
    });

    // --- The test of the classifier -------------------------------------------------------------------------------------

    const check = document.getElementById("check-form");
    check.addEventListener("submit", async (event) => {
        event.preventDefault();
        const shown = document.getElementById("draft-check");
        shown.innerHTML = '<p>Testing… <progress class="gb-progress" aria-label="Testing"></progress></p>';
        const note = dirty ? '<p class="gb-hint">What you have not saved yet is not part of this test.</p>' : "";
        try {
            const answer = await fetch(check.action, {
                method: "POST",
                body: new URLSearchParams(new FormData(check)),
                headers: { "X-Requested-With": "fetch" },
            });
            if (!answer.ok || answer.redirected) {
                throw new Error("refused");
            }
            shown.innerHTML = note + (await answer.text());
        } catch {
            shown.innerHTML = '<div class="gb-alert" role="alert"><p>The test could not be made. Try again.</p></div>';
        }
    });

    // --- Coming back ----------------------------------------------------------------------------------------------------

    const before = sessionStorage.getItem(kept);
    sessionStorage.removeItem(kept);
    if (before) {
        const { open, top } = JSON.parse(before);
        for (const id of open) {
            document.getElementById(id)?.setAttribute("open", "");
        }
        if (!document.querySelector("#errors, #conflict, [autofocus]")) {
            window.scrollBy(0, form.getBoundingClientRect().top - top);
        }
    }
    document.getElementById("errors")?.focus();
    const newest = form.querySelector("[autofocus]");
    newest?.focus();
    newest?.scrollIntoView({ block: "center" });
    chooseFullContext();
});
