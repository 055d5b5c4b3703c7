/** Adds what the simulated DOM of the `dom` project lacks or does differently from browsers. */
import { afterEach, expect, vi } from 'vitest'
import { configure } from '@testing-library/dom'

// All files run in one worker, so settings of one file, such as the language, must not affect the next.
vi.resetModules()
localStorage.clear()
sessionStorage.clear()
history.replaceState(null, '', '/saas/')
document.body.replaceChildren()
for (const name of document.documentElement.getAttributeNames()) document.documentElement.removeAttribute(name)

// The timeout is long, because other files may use the processor. The error omits the page, because printing it at each failed attempt
// takes longer than the attempt.
configure({ asyncUtilTimeout: 15_000, getElementError: (message) => new Error(message ?? 'not found') })

// The app postpones work until the browser is idle. Tests must not wait for it.
vi.stubGlobal('requestIdleCallback', (callback: () => void) => setTimeout(callback))

// A browser downloads the target of such a link. The simulated one would navigate, for all later files too.
HTMLAnchorElement.prototype.click = function click() {
  if (this.download === '') HTMLElement.prototype.click.call(this)
}

/** Errors that the page reported without showing them. A test that expects an error removes it from this list. */
export const reported: unknown[] = []
vi.stubGlobal('reportError', (error: unknown) => void reported.push(error))
afterEach(() => expect(reported.splice(0)).toEqual([]))
