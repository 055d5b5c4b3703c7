/** Checks a screen for faults that axe does not find: width, font size and focus. Each function returns the faults. */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { findViolations } from '#tests/support/browser/browser.ts'
import { findFaults } from '#tests/support/browser/screen-faults.ts'

/** Expects no faults by axe, no sideways scrolling and no clipped text, at normal and double font size (A-01, A-30, T-02). */
export async function expectNoFaults(page: Page, screen: string): Promise<void> {
  expect({ screen, trouble: await findViolations(page) }).toEqual({ screen, trouble: [] })
  expect({ screen, ...(await findOverflow(page)) }).toEqual({ screen, sideways: [], cut: [] })
  expect({ screen, ...(await findEnlargedOverflow(page)) }).toEqual({ screen, sideways: [], cut: [] })
  await waitForFrame(page)
}

async function findOverflow(page: Page) {
  const { sideways, cut } = await findFaults(page)
  return { sideways, cut }
}

/** Waits for the next frame. After that, scripts have positioned elements such as a menu at its button. */
export const waitForFrame = (page: Page): Promise<unknown> =>
  page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))))

/** Like `findOverflow` at double font size. The page has its normal size again in the next frame. */
export async function findEnlargedOverflow(page: Page) {
  await page.evaluate(() => (document.documentElement.style.fontSize = '200%'))
  const overflow = await findOverflow(page)
  await page.evaluate(() => (document.documentElement.style.fontSize = ''))
  return overflow
}

/**
 * Presses Tab until the focus returns to the start. Returns all stops by their text, and those without an outline of 2 px on themselves or
 * on the element they control.
 */
export async function tabThrough(page: Page): Promise<{ stops: string[]; ringless: string[] }> {
  const stops: string[] = []
  const ringless: string[] = []
  for (let presses = 0; presses < 80; presses++) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate(() => {
      const element = document.activeElement
      if (!element || element === document.body) return null
      const isField = element instanceof HTMLInputElement || element instanceof HTMLSelectElement
      const name =
        (isField && (element.value && element.type === 'radio' ? element.value : element.name)) ||
        element.textContent?.trim() ||
        ''
      const hasRing = (candidate: Element | null) =>
        candidate !== null && parseFloat(getComputedStyle(candidate).outlineWidth) >= 2
      const hasOutline = (candidate: Element | null) =>
        hasRing(candidate) && candidate !== null && getComputedStyle(candidate).outlineStyle !== 'none'
      return { name, isOutlined: hasOutline(element) || hasOutline(element.nextElementSibling) }
    })
    if (stop === null) break
    stops.push(stop.name)
    if (!stop.isOutlined) ringless.push(stop.name)
  }
  return { stops, ringless }
}
