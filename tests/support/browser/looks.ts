/** What a screen is judged by besides axe: its width, its type, its focus. Each answers with what is wrong. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { seriousTrouble } from '#tests/support/browser/browser.ts'
import { faultsOf } from '#tests/support/browser/screen-faults.ts'

/** axe, no sideways scroll and no cut text; as it stands and at twice the size of type (A-01, A-30, T-02). */
export async function expectFine(page: Page, what: string): Promise<void> {
  expect({ what, trouble: await seriousTrouble(page) }).toEqual({ what, trouble: [] })
  expect({ what, ...(await fit(page)) }).toEqual({ what, sideways: [], cut: [] })
  expect({ what, ...(await fitTwice(page)) }).toEqual({ what, sideways: [], cut: [] })
  await drawn(page)
}

/** What makes it scroll sideways, and which texts are cut. */
async function fit(page: Page) {
  const { sideways, cut } = await faultsOf(page)
  return { sideways, cut }
}

/** What the page places by script, a menu at its button, is there a frame later. */
export const drawn = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))

/** The same at twice the size of type. The page is in its own size again with the next frame. */
export async function fitTwice(page: Page) {
  await page.evaluate(() => (document.documentElement.style.fontSize = '200%'))
  const found = await fit(page)
  await page.evaluate(() => (document.documentElement.style.fontSize = ''))
  return found
}

/**
 * Goes through the page with the Tab key until it is back where it began; every stop, by what it says, and which of them
 * show no ring of 2 px, on themselves or on what they are the control of.
 */
export async function tabThrough(page: Page): Promise<{ stops: string[]; ringless: string[] }> {
  const stops: string[] = []
  const ringless: string[] = []
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate(() => {
      const one = document.activeElement
      if (!one || one === document.body) return null
      const field = one instanceof HTMLInputElement || one instanceof HTMLSelectElement
      const name =
        (field && (one.value && one.type === 'radio' ? one.value : one.name)) || one.textContent?.trim() || ''
      const ring = (of: Element | null) => of !== null && parseFloat(getComputedStyle(of).outlineWidth) >= 2
      const outlined = (of: Element | null) => ring(of) && of !== null && getComputedStyle(of).outlineStyle !== 'none'
      return { name, shown: outlined(one) || outlined(one.nextElementSibling) }
    })
    if (stop === null) break
    stops.push(stop.name)
    if (!stop.shown) ringless.push(stop.name)
  }
  return { stops, ringless }
}
