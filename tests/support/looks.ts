/** What a screen is judged by besides axe: its width, its type, its focus. Each answers with what is wrong. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { seriousTrouble } from '#tests/support/browser.ts'

/** Texts that the box they stand in does not show whole. What is there for readers aloud alone is not meant. */
const cutTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const isCut = (one: Element) => {
      const own = [...one.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim())
      // Styles are computed for what is wider or higher than its box alone: most of a page is not.
      const [isWide, isHigh] = [one.scrollWidth > one.clientWidth + 1, one.scrollHeight > one.clientHeight + 1]
      if (!own || one.clientWidth === 0 || !(isWide || isHigh)) return false
      const { overflowX, overflowY, clipPath, visibility, textOverflow } = getComputedStyle(one)
      if (clipPath !== 'none' || visibility === 'hidden') return false
      // One line of a list, whose end is marked and whose whole text is its title: it is read in full where the row leads.
      if (textOverflow === 'ellipsis' && one.getAttribute('title') === one.textContent && one.closest('td'))
        return false
      return (isWide && /hidden|clip/.test(overflowX)) || (isHigh && /hidden|clip/.test(overflowY))
    }
    return [...document.querySelectorAll('body *')].filter(isCut).map((one) => one.textContent?.trim() ?? '')
  })

/** axe, no sideways scroll and no cut text; as it stands and at twice the size of type (A-01, A-30, T-02). */
export async function expectFine(page: Page, what: string): Promise<void> {
  expect({ what, trouble: await seriousTrouble(page) }).toEqual({ what, trouble: [] })
  expect({ what, ...(await fit(page)) }).toEqual({ what, sideways: [], cut: [] })
  expect({ what, ...(await fitTwice(page)) }).toEqual({ what, sideways: [], cut: [] })
  await drawn(page)
}

/**
 * What reaches beyond the right edge of a page that scrolls sideways. A page that is still being placed gets a second: what is
 * too wide stays so.
 */
const beyondEdge = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const { documentElement: root } = document
    const end = performance.now() + 1000
    while (root.scrollWidth > root.clientWidth && performance.now() < end) await new Promise(requestAnimationFrame)
    if (root.scrollWidth <= root.clientWidth) return []
    const edges = [...document.querySelectorAll('body *')].map((one) => ({
      one,
      right: one.getBoundingClientRect().right,
    }))
    const found = edges.filter(({ right }) => right > root.clientWidth)
    return [
      `${root.scrollWidth - root.clientWidth} px`,
      ...found.map(({ one, right }) => `${one.localName}.${one.getAttribute('class') ?? ''} to ${Math.round(right)}`),
    ]
  })

/** What makes it scroll sideways, and which texts are cut. */
export const fit = async (page: Page) => ({ sideways: await beyondEdge(page), cut: await cutTexts(page) })

/** What the page places by script, a menu at its button, is there a frame later. */
export const drawn = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))

/** The same at twice the size of type. The page is in its own size again with the next frame. */
export async function fitTwice(page: Page) {
  await page.evaluate(() => (document.documentElement.style.fontSize = '200%'))
  await drawn(page)
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
