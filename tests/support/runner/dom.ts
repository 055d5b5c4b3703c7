/** What the simulated DOM of the `dom` project lacks, or has otherwise than browsers. */
import { afterEach, expect, vi } from 'vitest'
import { configure } from '@testing-library/dom'

// The files of a worker follow one another: what one has chosen, a language above all, is none of the next one's.
vi.resetModules()
localStorage.clear()
sessionStorage.clear()
history.replaceState(null, '', '/saas/')
document.body.replaceChildren()
for (const name of document.documentElement.getAttributeNames()) document.documentElement.removeAttribute(name)

// Patience, no claim: what is waited for may take its time while another file has the processor. An error is made at each look
// that finds nothing yet: the page is not printed into it, which takes longer than the look.
configure({ asyncUtilTimeout: 15_000, getElementError: (message) => new Error(message ?? 'not found') })

// The app leaves to idle time what can wait, and so would the tests have to.
vi.stubGlobal('requestIdleCallback', (callback: () => void) => setTimeout(callback))

// A browser saves what such a link leads to; the simulated one would go there, and all files after this one with it.
HTMLAnchorElement.prototype.click = function click() {
  if (this.download === '') HTMLElement.prototype.click.call(this)
}

/** Mistakes that the page reported, of which its user sees nothing. A test that expects one takes it out. */
export const reported: unknown[] = []
vi.stubGlobal('reportError', (error: unknown) => void reported.push(error))
afterEach(() => expect(reported.splice(0)).toEqual([]))
