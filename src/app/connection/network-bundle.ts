/**
 * The page's way to the server, as one piece that is fetched beside the page and not before it: a login form can be
 * read and filled while this is still on its way.
 */
export { watchInstallPrompt } from '#app/browser/install-prompt.ts'
export { api, ports } from '#app/connection/api.ts'
