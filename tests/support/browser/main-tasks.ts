/** The main tasks of the product, done by keys alone. Each checks where the focus is after every step (`keyboard.ts`). */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Person } from '#tests/support/browser/browser.ts'
import { createKeyboard, type Keyboard } from '#tests/support/browser/keyboard.ts'
import { validExpiry } from '#tests/support/orders/card-fields.ts'

export interface TaskVisit {
  page: Page
  keyboard: Keyboard
  /** Address of the portal without a path. */
  url: string
}

export const createVisit = (page: Page, url: string): TaskVisit => ({ page, url, keyboard: createKeyboard(page) })

const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

/** Opens a page by typing its name into the search. */
export async function jumpTo({ page, keyboard }: TaskVisit, text: string, option: string | RegExp = text) {
  await keyboard.press('Control+k')
  await keyboard.expectFocus(/Search or jump to|Find/)
  await keyboard.type(text)
  await page.locator('[role=option][aria-selected=true]', { hasText: option }).waitFor()
  await keyboard.press('Enter')
  await page.locator('dialog.search').waitFor({ state: 'detached' })
}

export async function logIn({ page, keyboard, url }: TaskVisit, person: Person) {
  await page.goto(`${url}/saas/login`)
  await page.locator('[name=company]').waitFor()
  await keyboard.tabTo(/^Company ID/)
  await keyboard.type(person.company)
  await keyboard.press('Tab')
  await keyboard.expectFocus(/^Username/)
  await keyboard.type(person.username)
  await keyboard.press('Tab')
  await keyboard.expectFocus(/^Password/)
  await keyboard.type(person.password)
  await keyboard.press('Enter')
}

/** Registers a company, opens the mail in the demo's mailbox, activates the first admin and logs in. */
export async function registerCompany(visit: TaskVisit, code: string) {
  const { page, keyboard, url } = visit
  const person = { company: code, username: `ana@${code}.example`, password: 'Slow-river-under-9' }
  await page.goto(`${url}/saas/signup`)
  await page.locator('[name=code]').waitFor()
  await keyboard.tabTo(/^Company code/)
  // An empty form is refused, and the focus is on the first error.
  await keyboard.press('Enter')
  await waitForText(page, 'Please input company name')
  await keyboard.expectFocus(/^Company code/)
  await keyboard.type(code)
  await keyboard.press('Tab')
  await keyboard.expectFocus(/^Company name/)
  await keyboard.type('Keys & Sons 键盘')
  await keyboard.tabTo(/^Country or region/)
  await keyboard.type('Hong')
  await keyboard.tabTo(/^Phone number/)
  await keyboard.type('12345678')
  await keyboard.press('Enter')
  await page.locator('[name=user_name]').waitFor()
  await keyboard.tabTo(/^Name/)
  await keyboard.type('Ana Chan')
  await keyboard.tabTo(/^E-mail/)
  await keyboard.type(person.username)
  await keyboard.tabTo(/^Password/)
  await keyboard.type(person.password)
  await keyboard.tabTo(/^(Confirm|Repeat|Password again)/)
  await keyboard.type(person.password)
  await keyboard.tabTo(/terms/i)
  await keyboard.press('Space')
  await keyboard.tabTo(/^Register/)
  await keyboard.press('Enter')
}
