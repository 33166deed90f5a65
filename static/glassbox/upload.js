// Beside the field of the kind: what each chosen file looks like, and why. A person chooses.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
    const MOST_FILES = 10;
    const FIRST_BYTES = 65536;
    const template = document.getElementById("suggest-kind");
    const files = document.querySelector("input[name=uploads]");
    const kind = document.querySelector("select[name=kind]");
    const token = document.querySelector("input[name=csrfmiddlewaretoken]");
    if (!template || !files || !kind || !token) {
        return;
    }
    const section = template.content.firstElementChild.cloneNode(true);
    const list = section.querySelector("ul");
    section.hidden = true;
    kind.parentElement.after(section);

    async function suggestions(file) {
        const body = new FormData();
        body.append("csrfmiddlewaretoken", token.value);
        body.append("filename", file.name);
        body.append("beginning", file.slice(0, FIRST_BYTES), "beginning");
        const response = await fetch(template.dataset.url, { method: "POST", body, credentials: "same-origin" });
        return response.ok ? (await response.json()).suggestions : [];
    }

    function line(file, found) {
        const item = document.createElement("li");
        if (!found.length) {
            item.textContent = `${file.name}: no kind stands out.`;
            return item;
        }
        item.append(`${file.name}: `);
        found.forEach((each, number) => {
            const button = document.createElement("button");
            button.type = "button";
            button.className = "gb-button";
            button.textContent = `Choose ${each.name}`;
            button.addEventListener("click", () => {
                kind.value = each.kind;
                kind.dispatchEvent(new Event("change", { bubbles: true }));
            });
            item.append(button, ` ${each.why}.`, number + 1 < found.length ? " Or: " : "");
        });
        return item;
    }

    let asked = 0;
    files.addEventListener("change", async () => {
        const turn = ++asked;
        const chosen = [...files.files].slice(0, MOST_FILES);
        const lines = await Promise.all(
            chosen.map((file) => suggestions(file).then((found) => line(file, found), () => line(file, []))),
        );
        if (turn === asked) {
            list.replaceChildren(...lines);
            section.hidden = lines.length === 0;
        }
    });
});
