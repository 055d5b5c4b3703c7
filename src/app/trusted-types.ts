/**
 * The one policy of the page (H-01): libraries may clear an element or put a space into it, a change log that the server has
 * cleaned is shown in a frame without scripts, and the worker may be registered from its one address; nothing else becomes
 * HTML or a script. First import of the entry, so that it stands
 * before any library runs. Browsers without Trusted Types have no such sinks guarded and need no policy.
 */
const allowedTexts = new Set(['', '&nbsp;'])
let trustedText: string | null = null
/** The last such document, letter for letter, is let in (src/app/connection/packages.ts). */
export const trustDocument = (text: string): void => void (trustedText = text)

interface Policies {
  createPolicy: (
    name: 'default',
    rules: Record<'createHTML' | 'createScriptURL', (text: string) => string | null>,
  ) => unknown
}

// TypeScript's DOM does not know Trusted Types yet.
const policies = (globalThis as { trustedTypes?: Policies }).trustedTypes
policies?.createPolicy('default', {
  createHTML: (text) => (allowedTexts.has(text) || text === trustedText ? text : null),
  createScriptURL: (url) => (url === '/saas/sw.js' ? url : null),
})
