/**
 * The page's way to the server, as one piece that is fetched beside the page and not before it: a login form can be
 * read and filled while this is still on its way.
 */
export { api, ports } from '#app/send.ts'
export { startWorker } from '#app/worker.ts'
export { signIn, signOut } from '#request/sign-in.ts'
