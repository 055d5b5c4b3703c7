/** Overlays that use single keys themselves, such as first letters in a menu. */
const overlaySelector = '[role=dialog], [role=alertdialog], [role=menu], dialog[open]'

/** Returns true if a dialog, a drawer, a menu or the search is open, so that keys must not act on the page below. */
export const isOverlayOpen = (): boolean => document.querySelector(overlaySelector) !== null
