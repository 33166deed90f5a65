"use strict";

/*
 * A plugin of Swagger UI: what its markup lacks for whoever uses the page by ear or by keyboard. The button that opens
 * an operation has no link within it, everything lies in a landmark, each control has a name, and code that scrolls
 * takes the focus.
 */
const nameControl = (control) => {
  const parameter = control.closest("tr[data-param-name]");
  if (parameter) return parameter.dataset.paramName;
  if (control.closest(".examples-select")) return "Example";
  if (control.closest(".servers")) return "Server";
  if (control.closest(".close-modal")) return "Close";
  if (control.closest(".auth-btn-wrapper")) return control.textContent;
  const field = control.closest("tr")?.querySelector(".parameter__name, td");
  return field?.textContent.replace("*", "").trim() || "Request body";
};

const mendControls = (page) => {
  page
    .querySelectorAll("select:not([aria-label]), textarea:not([aria-label]), input:not([aria-label]):not([id])")
    .forEach((control) => control.setAttribute("aria-label", nameControl(control)));
  page
    .querySelectorAll(".close-modal:not([aria-label]), .auth-btn-wrapper button[aria-label]")
    .forEach((control) => control.setAttribute("aria-label", nameControl(control)));
  page.querySelectorAll("pre:not([tabindex])").forEach((code) => code.setAttribute("tabindex", "0"));
};

const GlassboxDocs = ({ React }) => {
  const { createElement } = React;
  const PlainPath = ({ text }) => createElement("span", null, text);

  return {
    afterLoad() {
      const page = document.querySelector("#swagger-ui");
      let isAsked = false;
      const mendOnce = () => {
        isAsked = false;
        mendControls(page);
      };
      new MutationObserver(() => {
        if (!isAsked) requestAnimationFrame(mendOnce);
        isAsked = true;
      }).observe(page, { childList: true, subtree: true });
    },
    wrapComponents: {
      BaseLayout: (Original) => (props) =>
        createElement("section", { "aria-label": "API reference" }, createElement(Original, props)),
      OperationSummaryPath: (Original) => (props) =>
        createElement(Original, {
          ...props,
          getComponent: (name, ...rest) => (name === "DeepLink" ? PlainPath : props.getComponent(name, ...rest)),
        }),
    },
  };
};
