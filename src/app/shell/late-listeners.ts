/** Exports the page-wide listeners that may load after the page, in one chunk. */
export { nameEnterKeys } from '#app/shell/enter-key.ts'
export { keepHintsInViewport } from '#ui/display/hints.ts'
