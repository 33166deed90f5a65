// What the admin's attributes name. Alpine's CSP build reads single expressions and knows no globals: whatever needs
// more is a component, and stands here (see static/unfold/js/alpine/README.md).
document.addEventListener('alpine:init', () => {
    // Unfold's own, which its templates call as if they were globals.
    for (const name of ['theme', 'searchForm', 'searchDropdown', 'searchCommand']) {
        if (typeof window[name] === 'function') {
            Alpine.data(name, window[name]);
        }
    }

    // The body of each page: which tab is open, and whether the sidebar is. Kept in the browser.
    Alpine.data('page', (firstTab = '') => ({
        activeTab: firstTab,
        sidebarMobileOpen: false,
        sidebarDesktopOpen: localStorage.getItem('sidebarDesktopOpen') !== '0',
        // Unfold's change form makes its own address of this, so that a saved form opens the same tab. Texts alone:
        // the browser's window itself stays out of reach of an attribute.
        get window() {
            return { location: { pathname: location.pathname, search: location.search } };
        },
        init() {
            this.activeTab = window.getCurrentTab() || firstTab;
            this.$watch('sidebarDesktopOpen', (open) => localStorage.setItem('sidebarDesktopOpen', open ? '1' : '0'));
        },
    }));
});
