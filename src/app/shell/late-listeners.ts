/** What listens on the whole page and may come after it: one file for the line. */
export { nameEnterKeys } from '#app/shell/enter-key.ts'
export { keepHintsInViewport } from '#ui/display/hints.ts'
