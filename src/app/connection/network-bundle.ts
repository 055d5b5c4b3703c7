/** Exports the page's network code as one chunk, loaded in parallel with the page. A login form can be filled in before it has arrived. */
export { watchInstallPrompt } from '#app/browser/install-prompt.ts'
export { api, ports } from '#app/connection/api.ts'
