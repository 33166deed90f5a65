// The handbook is as light or dark as the admin is: its setting lies in this browser, under the admin's own name.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const show = () => {
    let chosen = "auto";
    try {
      chosen = JSON.parse(localStorage.getItem("adminTheme")) || "auto";
    } catch {
      // Storage is shut, or holds what nobody of ours wrote: as the system is.
    }
    const isDark = chosen === "auto" ? dark.matches : chosen === "dark";
    document.body.setAttribute("data-md-color-scheme", isDark ? "slate" : "default");
  };
  show();
  dark.addEventListener("change", show);
  addEventListener("storage", show);
})();

// The theme puts a wide table into a box that scrolls; the keyboard must reach it too.
addEventListener("load", () => {
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap")) {
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", "Table");
  }
  document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
});
