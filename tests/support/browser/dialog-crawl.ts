/**
 * Opens every dialog, drawer and menu of a screen by the buttons that announce one (`aria-haspopup`), and checks each with axe, in light and
 * dark and on desktop and phone. Menu items without a dialog are not pressed, because they act at once.
 */
import type { Locator, Page } from 'playwright-core'
import { findViolations } from '#tests/support/browser/browser.ts'
import { resize, type ScreenWalk, sizes } from '#tests/support/browser/screen-walk.ts'
import type { Screen } from '#tests/support/browser/screens.ts'

const dialogSelector = '[role=dialog], dialog[open]'
const menuSelector = '[role=menu]'
/** Rows of a list whose menus are opened. Rows in different states offer different actions. */
const maxRowMenus = 12
/** Maximum time of a dialog's code and data, ms. A button that opens nothing is reported. */
const openMs = 10_000

export interface DialogCrawl {
  /** Titles of the dialogs that were opened, as displayed. */
  titles: Set<string>
  faults: Record<string, unknown>
  /** Openers and menus that have been checked in this language. Those of the header are the same on every screen. */
  checkedLabels: Set<string>
}

interface Opener {
  label: string
  kind: 'menu' | 'dialog'
  isInHeader: boolean
  index: number
}

/** Reads the visible openers of the topmost dialog, or of the page. Openers with the same text are one, except menus of rows. */
function readOpeners(page: Page, scopeSelector: string): Promise<Opener[]> {
  return page.locator(`${scopeSelector} >> [aria-haspopup]`).evaluateAll((elements) =>
    elements.flatMap((element, index) => {
      const isUsable =
        element.checkVisibility({ visibilityProperty: true }) &&
        element.getAttribute('aria-disabled') !== 'true' &&
        element.closest('[role=menu], [inert]') === null
      const kind = element.getAttribute('aria-haspopup') === 'menu' ? ('menu' as const) : ('dialog' as const)
      const isInHeader = element.closest('.bar, .rail') !== null
      return isUsable ? [{ label: element.textContent?.trim() ?? '', kind, isInHeader, index }] : []
    }),
  )
}

const getTopDialog = (page: Page): Locator => page.locator(dialogSelector).last()

async function closeDialogs(page: Page) {
  for (let attempts = 0; attempts < 6; attempts++) {
    const count = await page.locator(`${dialogSelector}, ${menuSelector}`).count()
    if (count === 0) return
    await page.keyboard.press('Escape')
    await page
      .waitForFunction(
        ([selector, before]) => document.querySelectorAll(selector).length !== before,
        [`${dialogSelector}, ${menuSelector}`, count] as const,
        { timeout: 2000 },
      )
      .catch(() => undefined)
    // A dialog with changes asks before it is closed.
    const leaveButton = page.locator('.drawer-leave .button.danger')
    if ((await leaveButton.count()) > 0) await leaveButton.click()
  }
}

/** Crawls one screen, which `walk` opens again after each dialog that changed the address. */
export async function crawlDialogs(walk: ScreenWalk, screen: Screen, crawl: DialogCrawl, lang: string): Promise<void> {
  const { page, session } = walk
  const openedLabels = new Set<string>()

  async function check(selector: string, name: string) {
    for (const size of ['desktop', 'phone'] as const) {
      await resize(session, sizes[size])
      // A menu closes if its button moves out of the window, and some exist in one size only.
      if ((await page.locator(selector).count()) === 0) continue
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        const violations = await findViolations(page, selector)
        if (violations.length > 0)
          crawl.faults[`${screen.name} > ${name}, ${lang}, ${size}, ${colorScheme}`] = violations
      }
    }
    await page.emulateMedia({ colorScheme: 'light' })
    await resize(session, sizes.desktop)
  }

  async function checkDialog(path: string) {
    const dialog = getTopDialog(page)
    await dialog.waitFor({ timeout: openMs })
    await dialog.locator('[aria-busy=true]').first().waitFor({ state: 'detached', timeout: openMs })
    const title = await dialog.evaluate((element) => {
      const labelId = element.getAttribute('aria-labelledby')
      return (
        element.getAttribute('aria-label') ??
        (labelId ? document.getElementById(labelId)?.textContent : null) ??
        ''
      ).trim()
    })
    crawl.titles.add(title)
    await check(dialogSelector, `${path} > ${title}`)
  }

  async function openScreen() {
    await closeDialogs(page)
    await walk.show(screen)
  }

  async function openItems(opener: Opener) {
    const button = page.locator('body >> [aria-haspopup]').nth(opener.index)
    const openMenu = async () => {
      await button.click({ timeout: openMs })
      await page.locator(menuSelector).waitFor({ timeout: openMs })
    }
    await openMenu()
    const items = await page.locator(`${menuSelector} [role^=menuitem]`).evaluateAll((elements) =>
      elements.map((element) => ({
        label: element.textContent?.trim() ?? '',
        hasDialog:
          element.getAttribute('aria-haspopup') === 'dialog' && element.getAttribute('aria-disabled') !== 'true',
      })),
    )
    const menuKey = items.map(({ label }) => label).join(' · ')
    if (!crawl.checkedLabels.has(menuKey)) await check(menuSelector, `menu ${menuKey}`)
    crawl.checkedLabels.add(menuKey)
    await closeDialogs(page)
    for (const [index, { label, hasDialog }] of items.entries()) {
      if (!hasDialog || openedLabels.has(label)) continue
      openedLabels.add(label)
      await openMenu()
      await page.locator(`${menuSelector} [role^=menuitem]`).nth(index).click()
      await checkDialog(label)
      await openScreen()
    }
  }

  await openScreen()
  let rowMenus = 0
  for (const opener of await readOpeners(page, 'body')) {
    const isRowMenu = opener.kind === 'menu'
    if (opener.isInHeader && crawl.checkedLabels.has(opener.label)) continue
    if (opener.isInHeader) crawl.checkedLabels.add(opener.label)
    if (!isRowMenu && openedLabels.has(opener.label)) continue
    if (isRowMenu && rowMenus++ >= maxRowMenus) continue
    openedLabels.add(opener.label)
    try {
      if (isRowMenu) await openItems(opener)
      else {
        await page.locator('body >> [aria-haspopup]').nth(opener.index).click({ timeout: openMs })
        await checkDialog(opener.label)
        await openScreen()
      }
    } catch (error) {
      crawl.faults[`${screen.name} > ${opener.label}, ${lang}: not opened`] = String(error).split('\n').slice(0, 3)
      await openScreen()
    }
  }
}
