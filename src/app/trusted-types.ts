/**
 * The only Trusted Types policy of the page (H-01). Libraries may clear an element or insert a space, a change log that the server has
 * sanitised is shown in a frame without scripts, and the worker is registered from its one address. Nothing else becomes HTML or a script.
 * Imported first, so that it exists before any library runs. Browsers without Trusted Types need no policy.
 */
const allowedTexts = new Set(['', '&nbsp;'])
let trustedText: string | null = null
/** Allows exactly this document, until the next call (src/app/connection/packages.ts). */
export const trustDocument = (text: string): void => void (trustedText = text)

interface Policies {
  createPolicy: (
    name: 'default',
    rules: Record<'createHTML' | 'createScriptURL', (text: string) => string | null>,
  ) => unknown
}

// TypeScript's DOM types do not include Trusted Types yet.
const policies = (globalThis as { trustedTypes?: Policies }).trustedTypes
policies?.createPolicy('default', {
  createHTML: (text) => (allowedTexts.has(text) || text === trustedText ? text : null),
  createScriptURL: (url) => (url === '/saas/sw.js' ? url : null),
})
