/** Main tasks of a user's account and company, done by keys alone. Each checks where the focus is after every step (`keyboard.ts`). */
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Person } from '#tests/support/browser/browser.ts'
import { createKeyboard, type Keyboard } from '#tests/support/browser/keyboard.ts'

export interface TaskContext {
  page: Page
  keyboard: Keyboard
  /** Address of the portal without a path. */
  url: string
}

export const createTask = (page: Page, url: string): TaskContext => ({ page, url, keyboard: createKeyboard(page) })

export const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
export const waitForClosed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached' })

/** Opens a page, a row or an action by typing into the search. */
export async function jumpTo({ page, keyboard }: TaskContext, text: string, option: string | RegExp = text) {
  await keyboard.press('Control+k')
  await keyboard.expectFocus(/^(Search|搜索)/)
  await keyboard.type(text)
  // Until the lists are read, the option that searches a whole list is the best one.
  await page.locator('[role=option][aria-selected=true]', { hasText: option, hasNotText: 'Search all' }).waitFor()
  await keyboard.press('Enter')
  await page.locator('dialog.search').waitFor({ state: 'detached' })
}

/** Presses `j` until a row has the focus: a page that was just opened loads the keys once it is idle. */
export async function moveToFirstRow({ page, keyboard }: Omit<TaskContext, 'url'>) {
  await page.locator('main tbody tr:not(.waiting)').first().waitFor()
  const isInRow = () => page.evaluate(() => document.activeElement?.closest('tbody') !== null)
  await expect
    .poll(async () => {
      if (!(await isInRow())) await keyboard.press('j')
      return isInRow()
    })
    .toBe(true)
}

/** Fills the login form and submits it. */
export async function logIn({ page, keyboard, url }: TaskContext, person: Person) {
  await page.goto(`${url}/saas/login`)
  await page.locator('[name=company]').waitFor()
  await keyboard.tabTo(/^Company ID/)
  await keyboard.type(person.company)
  // A company that the device knows has a button next to it.
  await keyboard.tabTo(/^Username/)
  await keyboard.type(person.username)
  await keyboard.press('Tab')
  await keyboard.expectFocus(/^Password/)
  await keyboard.type(person.password)
  await keyboard.press('Enter')
}

/** Registers a company, opens the mail in the demo's mailbox, activates the first admin and logs in. */
export async function registerCompany(task: TaskContext, code: string) {
  const { page, keyboard, url } = task
  const person = { company: code, username: `ana@${code}.example`, password: 'Slow-river-under-9' }
  await page.goto(`${url}/saas/signup`)
  await page.locator('[name=code]').waitFor()
  await keyboard.tabTo(/^Company code/)
  // An incomplete form is refused, and the focus is on the first error.
  await keyboard.type(code)
  await keyboard.press('Enter')
  await keyboard.expectFocus(/^Company name/)
  await keyboard.type('Keys & Sons 键盘')
  await keyboard.tabTo(/^Country or region/)
  await keyboard.type('Hong')
  await keyboard.tabTo(/^Phone number/)
  await keyboard.type('12345678')
  await keyboard.press('Enter')
  await page.locator('[name=user_name]').waitFor()
  await keyboard.tabTo(/^Title/)
  await keyboard.type('Ms')
  await keyboard.tabTo(/^Name/)
  await keyboard.type('Ana Chan')
  await keyboard.tabTo(/^E-mail/)
  await keyboard.type(person.username)
  await keyboard.tabTo(/^Password/)
  await keyboard.type(person.password)
  await keyboard.tabTo(/^Confirm password/)
  await keyboard.type(person.password)
  await keyboard.press('Enter')
  await page.locator('[name=user_name]').waitFor({ state: 'detached' })
  await keyboard.expectFocus()
  await openMail(task, person.username)
  await page.waitForURL(/sys\/activate/)
  await keyboard.tabTo(/^Activate/)
  await keyboard.press('Enter')
  await page.locator('main').getByRole('link', { name: 'Login' }).waitFor()
  await logIn(task, person)
  await page.waitForURL(/\/app\/home/)
}

/** Opens the latest mail to this address and the link in it. The page of the mailbox is not part of the product. */
async function openMail({ page, keyboard, url }: TaskContext, address: string) {
  await page.goto(`${url}/dev/mail`)
  const mail = page.locator('nav a', { hasText: address }).first()
  for (let count = 0; count < 100 && (await mail.count()) === 0; count += 1) {
    await page.waitForTimeout(200)
    await page.reload()
  }
  await keyboard.tabTo(new RegExp(address))
  await keyboard.press('Enter')
  await page.locator('iframe').waitFor()
  const link = page.frameLocator('iframe').locator('a[href*="otk="]').first()
  // Backwards, because the list of mails comes first.
  for (let count = 0; count < 40; count += 1) {
    await keyboard.press('Shift+Tab')
    if (await link.evaluate((element) => element === document.activeElement)) return await keyboard.press('Enter')
  }
  throw new Error('no link in the mail by Tab')
}

/** Adds a passkey after the password was typed again, and logs in with it. The page needs a virtual authenticator. */
export async function signInWithPasskey(task: TaskContext, person: Person) {
  const { page, keyboard, url } = task
  await keyboard.tabTo('Add passkey')
  await keyboard.press('Enter')
  await keyboard.expectFocus(/^Password/)
  await keyboard.press('Escape')
  await waitForClosed(page)
  await keyboard.expectFocus('Add passkey')
  await keyboard.press('Enter')
  await keyboard.expectFocus(/^Password/)
  await keyboard.type(person.password)
  await keyboard.press('Enter')
  // The password is replaced by the name of the passkey, which has the focus then.
  await keyboard.expectFocus(/^Name/)
  await keyboard.press('Control+a')
  await keyboard.type('Office laptop')
  await keyboard.press('Enter')
  await keyboard.tabTo('I have saved them')
  await keyboard.press('Enter')
  await waitForClosed(page)
  await page.locator('.factor-list', { hasText: 'Office laptop' }).waitFor()
  await keyboard.expectFocus()
  await page.goto(`${url}/saas/logout`)
  await waitForText(page, 'You are logged out')
  await logIn(task, person)
  await keyboard.tabTo('Use passkey')
  await keyboard.press('Enter')
  await page.waitForURL(/\/app\//)
}

/** Invites a user on the list of users, opens the row and changes a role. */
export async function inviteUser(task: TaskContext, name: string) {
  const { page, keyboard } = task
  await jumpTo(task, 'users', 'Users')
  await keyboard.expectFocus('Users')
  await page.locator('main tbody tr:not(.waiting)').first().waitFor()
  await keyboard.press('c')
  await keyboard.expectFocus('Name')
  await keyboard.type(name)
  await keyboard.tabTo(/^E-mail/)
  await keyboard.type(`${name.toLowerCase().replaceAll(' ', '.')}@acme.example`)
  await keyboard.tabTo(/^Alert/)
  await keyboard.press('Space')
  await keyboard.tabTo('Create user')
  await keyboard.press('Enter')
  await waitForClosed(page)
  await keyboard.expectFocus()
  // The message has a link to the new user, which a key reaches.
  await keyboard.press('F8')
  await keyboard.expectFocus(/^Open/)
  await keyboard.press('Enter')
  await keyboard.expectFocus()
  await keyboard.tabTo(/^Order/)
  await keyboard.press('Space')
  await keyboard.tabTo('Save changes')
  await keyboard.press('Enter')
  await waitForClosed(page)
  await keyboard.expectFocus()
}

/** Disables two users at once and undoes it. Starts on the list of users. */
export async function disableUsers({ page, keyboard }: Omit<TaskContext, 'url'>) {
  await page.locator('main tbody tr:not(.waiting)').nth(1).waitFor()
  await moveToFirstRow({ page, keyboard })
  await keyboard.press('x', 'j')
  await keyboard.expectFocus()
  await keyboard.press('x')
  await waitForText(page, '2 selected')
  await keyboard.tabTo('Disable', { key: 'Shift+Tab' })
  await keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await keyboard.tabTo(/^Disable/)
  await keyboard.press('Enter')
  await waitForClosed(page)
  await keyboard.expectFocus()
  await page.locator('.toast', { hasText: 'Undo' }).waitFor()
  await keyboard.press('F8')
  await keyboard.expectFocus('Undo')
  await keyboard.press('Enter')
  await page.locator('.toast', { hasText: 'Undo' }).waitFor({ state: 'detached' })
  await keyboard.expectFocus()
}

/**
 * Renames a user while the connection is cut and somebody else renames it, and decides the conflict among the waiting changes. `cut` ends
 * and `reconnect` restores the connection; `renameElsewhere` gets the number of the user.
 */
export async function solveConflict(
  task: TaskContext,
  name: string,
  network: { cut: () => Promise<void>; renameElsewhere: (id: string) => Promise<void>; reconnect: () => Promise<void> },
) {
  const { page, keyboard } = task
  await network.cut()
  await jumpTo(task, name)
  await page.getByRole('dialog').waitFor()
  const id = new URL(page.url()).searchParams.get('user') ?? ''
  await keyboard.expectFocus()
  await keyboard.tabTo('Name')
  await keyboard.press('Control+a')
  await keyboard.type('Mine by keys')
  await keyboard.press('Enter')
  await waitForClosed(page)
  await keyboard.expectFocus()
  await network.renameElsewhere(id)
  await jumpTo(task, 'waiting', 'Waiting changes')
  await keyboard.expectFocus('Waiting changes')
  await network.reconnect()
  await page.getByRole('button', { name: 'Compare and choose' }).waitFor()
  await keyboard.tabTo('Compare and choose')
  await keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await keyboard.expectFocus()
  await keyboard.tabTo(/Mine by keys/)
  await keyboard.press('Space')
  await keyboard.tabTo('Save this choice')
  await keyboard.press('Enter')
  await waitForClosed(page)
  await page.getByRole('heading', { name: 'Everything has been sent' }).waitFor()
  await keyboard.expectFocus()
}
