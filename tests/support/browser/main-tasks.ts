/** The main tasks of the product, done by keys alone. Each checks where the focus is after every step (`keyboard.ts`). */
import type { Page } from 'playwright-core'
import type { Person } from '#tests/support/browser/browser.ts'
import { createKeyboard, type Keyboard } from '#tests/support/browser/keyboard.ts'
import { validExpiry } from '#tests/support/orders/card-fields.ts'

export interface TaskContext {
  page: Page
  keyboard: Keyboard
  /** Address of the portal without a path. */
  url: string
}

export const createTask = (page: Page, url: string): TaskContext => ({ page, url, keyboard: createKeyboard(page) })

const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const waitForClosed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached' })

/** Opens a page, a row or an action by typing into the search. */
export async function jumpTo({ page, keyboard }: TaskContext, text: string, option: string | RegExp = text) {
  await keyboard.press('Control+k')
  await keyboard.expectFocus(/^(Search|搜索)/)
  await keyboard.type(text)
  await page.locator('[role=option][aria-selected=true]', { hasText: option }).waitFor()
  await keyboard.press('Enter')
  await page.locator('dialog.search').waitFor({ state: 'detached' })
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
  await page.getByRole('link', { name: 'Login' }).waitFor()
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

/** Orders a contract in the wizard and pays it. */
export async function buyContract(task: TaskContext, code: string) {
  const { page, keyboard } = task
  await jumpTo(task, 'new contract', 'New contract')
  await keyboard.expectFocus('New contract')
  await keyboard.tabTo(/^Service code/)
  await keyboard.type(code)
  await keyboard.tabTo(/^(Service name|Name)/)
  await keyboard.type('By keys, 键盘 & more')
  await keyboard.tabTo('Choose modules')
  await keyboard.press('Enter')
  await page.locator('[name=module-core]').waitFor()
  await keyboard.tabTo(/^Core/)
  await keyboard.press('Space')
  await keyboard.tabTo(/^Create order/)
  await keyboard.press('Enter')
  await waitForText(page, `Order ${code} created.`)
  await payByCard(task)
  await page.getByRole('heading', { name: 'The contract is in effect' }).waitFor()
  await keyboard.expectFocus()
}

/** Fills the three fields of the card, which are in frames, and pays. */
async function payByCard({ page, keyboard }: TaskContext) {
  await page.frameLocator('.payment-frame').locator('#number').waitFor()
  await keyboard.tabTo('Card')
  for (const text of ['4242424242424242', validExpiry(), '123']) {
    await keyboard.type(text)
    await keyboard.press('Tab')
  }
  await keyboard.tabTo(/^Pay .* by card$/)
  await keyboard.press('Enter')
}

/** Selects everything that is due and pays it with one payment. Starts on any page. */
export async function payDueItems(task: TaskContext) {
  const { page, keyboard } = task
  await jumpTo(task, 'contracts', 'Contracts')
  await keyboard.expectFocus('Contracts')
  await keyboard.tabTo(/^To pay/)
  await keyboard.press('Enter')
  await page.locator('main tbody .to-pay-date').first().waitFor()
  await keyboard.press('j')
  await keyboard.expectFocus(/^Change of/)
  await keyboard.press('x')
  await keyboard.press('j')
  await keyboard.expectFocus()
  await keyboard.press('x')
  await keyboard.tabTo(/^Pay \d+ items? · HKD/, { key: 'Shift+Tab' })
  await keyboard.press('Enter')
  await keyboard.expectFocus(/by card$/)
  await keyboard.press('Escape')
  await waitForClosed(page)
  // The dialog returns the focus to its button.
  await keyboard.expectFocus(/^Pay /)
  await keyboard.press('Enter')
  await keyboard.expectFocus(/by card$/)
  await payByCard(task)
  await waitForText(page, 'Payment received')
}

/** Opens and closes the extension of a contract, then changes its number of users up to the question that orders it. */
export async function changeContract(task: TaskContext, code: string, name: string) {
  const { page, keyboard } = task
  await jumpTo(task, code)
  await keyboard.expectFocus(name)
  await page.locator('.order-history tbody tr').first().waitFor()
  await keyboard.tabTo('Extend')
  await keyboard.press('Enter')
  await keyboard.expectFocus(/^Extend by/)
  await keyboard.press('Escape')
  await waitForClosed(page)
  await keyboard.expectFocus('Extend')
  await keyboard.tabTo('Modify', { key: 'Shift+Tab' })
  await keyboard.press('Enter')
  // The form replaces the button and has the focus.
  await keyboard.expectFocus(/^Users and modules/)
  await keyboard.tabTo(/^Number of users/)
  await keyboard.press('Control+a')
  await keyboard.type('31')
  await keyboard.tabTo(/^Order change/)
  await keyboard.press('Enter')
  await keyboard.expectFocus()
  await page.getByRole('dialog').waitFor()
  await keyboard.press('Escape')
  await waitForClosed(page)
  await keyboard.expectFocus(/^Order change/)
}

/** Disables two users at once and undoes it. Starts on the list of users. */
export async function disableUsers({ page, keyboard }: TaskContext) {
  await page.locator('main tbody tr:not(.waiting)').nth(1).waitFor()
  const pick = async () => {
    await keyboard.press('j')
    await keyboard.expectFocus()
    await keyboard.press('x')
  }
  await pick()
  await pick()
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

/** Allows the provider's staff to look into the company, as its admin. */
export async function giveConsent(task: TaskContext) {
  const { page, keyboard } = task
  await jumpTo(task, 'company', 'Company')
  await keyboard.expectFocus('Company')
  await keyboard.tabTo(/^Hours/)
  await keyboard.press('Control+a')
  await keyboard.type('2')
  await keyboard.tabTo('Allow access')
  await keyboard.press('Enter')
  await waitForText(page, /^M18's staff may look into your company until/)
  await keyboard.expectFocus('Help from M18')
}

/** Acts for a customer that has allowed it, and stops. For the staff. */
export async function actForCustomer(task: TaskContext, name: string) {
  const { page, keyboard } = task
  await jumpTo(task, name)
  await keyboard.expectFocus(name)
  await keyboard.tabTo(`Act for ${name}`)
  await keyboard.press('Enter')
  await page.locator('.acting').waitFor()
  await keyboard.tabTo('Stop acting')
  await keyboard.press('Enter')
  await page.waitForURL(/m18\/customer/)
  await page.getByRole('heading', { level: 1, name }).waitFor()
}
