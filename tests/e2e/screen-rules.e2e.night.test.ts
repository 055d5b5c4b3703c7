/** Tests layout rules of all screens in the browser: title rows, dialogs, toasts, fields and touch targets. */
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import {
  desktop,
  waitForList,
  takeOwnCompany,
  phone,
  resumePage,
  getRows,
  setUpShared,
} from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()
const company = takeOwnCompany()
const admin = (path: string, options = desktop) => resumePage(setup, company.admin, path, options)
const go = (page: Page, path: string) => page.goto(`${setup.fixture.portal.url}/saas${path}`)

async function readBox(locator: Locator) {
  const boundingBox = await locator.first().boundingBox()
  if (!boundingBox) throw new Error('it is not drawn')
  return {
    ...boundingBox,
    right: boundingBox.x + boundingBox.width,
    bottom: boundingBox.y + boundingBox.height,
    middle: boundingBox.y + boundingBox.height / 2,
  }
}
const getDialog = (page: Page) => page.locator('[role=dialog]')
const openUser = (page: Page) => page.locator('.page-action .primary').click()
const waitForDialog = (page: Page) => page.locator('.p-dialog-enter-done').waitFor()
const readFocusedName = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('name'))

it('Title and actions share one line, and the introduction is below both', async () => {
  const page = await admin('/app/user')
  await waitForList(page)
  const [title, action, intro] = [
    await readBox(page.locator('h1')),
    await readBox(page.locator('.page-action .primary')),
    await readBox(page.locator('.page-intro')),
  ]
  expect([title.height, action.height]).toEqual([32, 36])
  expect(action.middle - title.middle).toBeCloseTo(0, 0)
  expect(intro.y - title.bottom).toBeCloseTo(4, 0)
  // The title's box is smaller than its line height of 32 px. 32 px is also the left margin of the desktop layout.
  expect(title.x - (await readBox(page.locator('.rail'))).right).toBeCloseTo(32, 0)
  await page.setViewportSize({ width: 1024, height: 768 })
  expect((await readBox(page.locator('h1'))).x - (await readBox(page.locator('.rail'))).right).toBeCloseTo(24, 0)
  await page.setViewportSize({ width: 390, height: 844 })
  expect((await readBox(page.locator('h1'))).x).toBeCloseTo(16, 0)
})

it('Every font weight is 400, 500 or 600', async () => {
  const page = await admin('/app/user')
  await waitForList(page)
  for (const path of ['/app/home', '/app/contract', '/app/profile/company', '/app/profile/user']) {
    const weights = await page.evaluate(() => [
      ...new Set([...document.querySelectorAll('body *')].map((element) => getComputedStyle(element).fontWeight)),
    ])
    expect(weights.filter((weight) => !['400', '500', '600'].includes(weight))).toEqual([])
    await go(page, path)
    await page.locator('main h1').waitFor()
  }
})

it('A drawer focuses its first text field; its buttons are 8 px apart, the primary button first', async () => {
  const page = await admin('/app/user')
  await waitForList(page)
  await openUser(page)
  await waitForDialog(page)
  expect(await readFocusedName(page)).toBe('name')
  expect((await readBox(getDialog(page))).width).toBe(480)
  const buttons = getDialog(page).locator('.p-dialog-footer .button')
  expect(await buttons.allInnerTexts()).toEqual(['Create user', 'Cancel'])
  const [create, cancel] = [await readBox(buttons.first()), await readBox(buttons.nth(1))]
  expect(cancel.x - create.right).toBeCloseTo(8, 0)
  expect(create.x - (await readBox(getDialog(page))).x).toBeCloseTo(25, 0)
  // The distance is 6 px between label and field, and 20 px between fields.
  const [name, label] = [
    getDialog(page).locator('[name=email]'),
    getDialog(page).locator('label', { hasText: 'E-mail' }),
  ]
  expect((await readBox(name)).y - (await readBox(label)).bottom).toBeCloseTo(6, 0)

  await page.setViewportSize({ width: 390, height: 844 })
  const [above, below] = [await readBox(buttons.first()), await readBox(buttons.nth(1))]
  expect(below.y - above.bottom).toBeCloseTo(8, 0)
  expect(above.width).toBe(below.width)
  const foot = getDialog(page).locator('.p-dialog-footer')
  // A phone sideways: both buttons are visible in one row.
  await page.setViewportSize({ width: 640, height: 360 })
  const [footBox, createBox, cancelBox] = [
    await readBox(foot),
    await readBox(buttons.first()),
    await readBox(buttons.nth(1)),
  ]
  expect(footBox.bottom).toBeLessThanOrEqual(360)
  expect(footBox.height).toBeLessThanOrEqual(57)
  expect(cancelBox.middle).toBeCloseTo(createBox.middle, 0)
  await page.setViewportSize({ width: 640, height: 300 })
  // Head and footer scroll with the content.
  expect((await readBox(foot)).bottom).toBeGreaterThan(300)
})

it('A delete dialog focuses the cancel button; on a phone a dialog is at the bottom of the screen', async () => {
  const page = await admin('/app/contract')
  await waitForList(page)
  await go(page, '/app/device')
  await page
    .getByRole('button', { name: /^(Delete|Clear|Remove)/ })
    .first()
    .click()
  await waitForDialog(page)
  const buttons = getDialog(page).locator('.p-dialog-footer .button')
  await expect.poll(() => buttons.last().evaluate((button) => button === document.activeElement)).toBe(true)
  expect(await buttons.first().getAttribute('class')).toContain('danger')
  const dialogBox = await readBox(getDialog(page))
  expect(dialogBox.width).toBe(520)
  const isAtCorner = await page.evaluate(
    ([x, y]) => document.elementFromPoint(x ?? 0, y ?? 0)?.closest('[role=dialog]') !== null,
    [dialogBox.x + 2, dialogBox.bottom - 2],
  )
  expect(isAtCorner).toBe(false)
  await page.setViewportSize({ width: 390, height: 844 })
  const sheet = await readBox(getDialog(page))
  expect([sheet.x, sheet.width, sheet.bottom]).toEqual([0, 390, 844])
})

it('A toast is at the left of the content, names the created row and links to it', async () => {
  const page = await admin('/app/user')
  await waitForList(page)
  await openUser(page)
  await waitForDialog(page)
  await getDialog(page).locator('[name=name]').fill('Tim Timed')
  await getDialog(page).locator('[name=email]').fill('tim.timed@acme.example')
  await page.keyboard.press('Enter')
  const toast = page.locator('.toast')
  await toast.waitFor()
  await toast.hover()
  const toastBox = await readBox(toast)
  expect(toastBox.x - (await readBox(page.locator('.rail'))).right).toBeCloseTo(32, 0)
  expect(toastBox.bottom).toBeCloseTo(800 - 16, 0)
  await toast.getByRole('link', { name: 'Open Tim Timed' }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('user')).toMatch(/^\d+$/)
  await page.getByRole('dialog', { name: /Tim Timed/ }).waitFor()
})

it('Fields are as wide as their content, and the Enter key is labelled with its action (T-05)', async () => {
  const page = await admin('/app/profile/company')
  await page.locator('[name=dialCode]').waitFor()
  expect((await readBox(page.locator('[name=dialCode]'))).width).toBeLessThanOrEqual(96)
  expect((await readBox(page.locator('[name=name]'))).width).toBeLessThanOrEqual(640)
  const lines =
    'form input:not([type=checkbox], [type=radio], [type=range], [type=file], [readonly], [hidden], [tabindex])'
  /**
   * Returns what is wrong with the Enter key labels of the form: labels other than "next" or "search" before the last field, and whether
   * the last one submits.
   */
  const readKeyHints = async (page: Page) => {
    const keyHints = await page.locator(lines).evaluateAll((all: HTMLElement[]) =>
      all.map((line) => {
        line.focus()
        return line.getAttribute('enterkeyhint')
      }),
    )
    const [otherKeyHints, lastKeyHint] = [keyHints.slice(0, -1), keyHints.at(-1) ?? null]
    return {
      unusual: otherKeyHints.filter((key) => key !== 'next' && key !== 'search'),
      isSent: ['send', 'search', 'go'].includes(lastKeyHint ?? ''),
    }
  }
  const visitor = await setup.fixture.browser.newPage()
  setup.cleanups.push(() => visitor.close())
  for (const [visitingPage, path] of [
    [page, '/app/profile/company'],
    [page, '/app/profile/password'],
    [page, '/app/profile/user?edit=1'],
    [page, '/app/user?user=new'],
    [visitor, '/login'],
    [visitor, '/signup'],
    [visitor, '/forget'],
  ] as const) {
    await go(visitingPage, path)
    await visitingPage.locator('form input:visible').first().waitFor()
    await expect.poll(() => readKeyHints(visitingPage), { message: path }).toEqual({ unusual: [], isSent: true })
  }
})

it('Breadcrumbs, check boxes, account links and menu items are at least 44 px high on a touch screen', async () => {
  const page = await admin('/app/profile/password', phone)
  await page.locator('.account-tabs a').first().waitFor()
  const readHeights = async (locator: Locator) =>
    Promise.all((await locator.all()).map(async (candidate) => (await readBox(candidate)).height))
  for (const height of await readHeights(page.locator('.account-tabs a'))) expect(height).toBeGreaterThanOrEqual(44)
  await go(page, '/app/profile/notifications')
  // A phone has only the arrow back.
  await page.locator('.crumb-back').waitFor()
  for (const height of await readHeights(page.locator('.crumb-back'))) expect(height).toBeGreaterThanOrEqual(44)
  await go(page, '/app/user?user=new')
  await waitForDialog(page)
  const admins = getDialog(page).locator('.check', { hasText: 'Admin' })
  expect((await readBox(admins)).height).toBeGreaterThanOrEqual(44)
  // The check box can be pressed anywhere in its row.
  const row = await readBox(admins)
  await page.touchscreen.tap(row.right - 8, row.bottom - 4)
  expect(await getDialog(page).locator('[name=admin]').isChecked()).toBe(true)
})

it('Every page has one h1, and an unknown address shows a message inside the frame', async () => {
  const page = await admin('/app/home')
  await go(page, '/nothing-here')
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
  await page.locator('.rail').waitFor()
  expect(await page.locator('h1').count()).toBe(1)
  expect(new URL(page.url()).pathname).toBe('/saas/app/nothing-here')
  await page.getByRole('link', { name: 'Go to the home page' }).click()
  await expect.poll(() => new URL(page.url()).pathname).toBe('/saas/app/home')
})

it('Undo returns the focus to its row (A-10)', async () => {
  const page = await admin('/app/user?statusType=1')
  await waitForList(page)
  const menu = getRows(page).nth(1).locator('[aria-haspopup=menu]')
  await menu.click()
  await page.getByRole('menuitem', { name: 'Disable' }).click()
  const undo = page.getByRole('button', { name: 'Undo' })
  await undo.waitFor()
  const readFocusedTag = () => page.evaluate(() => document.activeElement?.closest('tr, main')?.tagName)
  // The row is removed from the list, and the focus moves to another element.
  await expect.poll(readFocusedTag).toBeDefined()
  const focusedTagBefore = await readFocusedTag()
  await page.keyboard.press('F8')
  await undo.focus()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.evaluate(() => document.activeElement !== document.body)).toBe(true)
  await expect.poll(() => page.evaluate(() => document.activeElement?.closest('.toasts'))).toBe(null)
  await expect.poll(readFocusedTag).toBe(focusedTagBefore)
})

const listPaths = ['/app/user', '/app/contract', '/app/contract?tab=pay', '/app/systrail']
const countVisibleRows = (page: Page) =>
  page.evaluate(
    () =>
      [...document.querySelectorAll('.list tbody tr')].filter(
        (row) => row.getBoundingClientRect().bottom <= innerHeight && !row.classList.contains('waiting'),
      ).length,
  )

it('On a phone the first row of a list is at most 180 px below the top; sideways at least four rows fit', async () => {
  const page = await admin('/app/user', phone)
  for (const path of listPaths) {
    await go(page, path)
    await waitForList(page)
    const readTop = async () => (await readBox(getRows(page))).y
    await expect.poll(readTop, { message: path }).toBeLessThanOrEqual(180)
    expect(await page.locator('.page-lead').isVisible()).toBe(false)
  }
  await page.setViewportSize({ width: 844, height: 390 })
  await go(page, '/app/systrail')
  await waitForList(page)
  await expect.poll(() => countVisibleRows(page)).toBeGreaterThanOrEqual(4)
})

it('The search of a page with tabs is a button on a phone, and a line of its own once it is used', async () => {
  const page = await admin('/app/contract', phone)
  await waitForList(page)
  const search = page.locator('.searchbox .input')
  const filter = page.getByRole('button', { name: 'Filter' })
  expect((await readBox(search)).width).toBe(44)
  expect((await readBox(filter)).middle).toBeCloseTo((await readBox(page.locator('h1'))).middle, 0)
  await search.click()
  await expect.poll(async () => (await readBox(search)).width).toBeGreaterThan(200)
  // Nothing moves under the finger when the search loses the focus.
  await filter.click()
  await getDialog(page).waitFor()
})

it('A phone has the primary action of a contract in a bar at the bottom, and Modify in the menu', async () => {
  const page = await admin('/app/contract', phone)
  await waitForList(page)
  await getRows(page).locator('a').first().click()
  const bar = page.locator('.page-bar')
  await bar.waitFor()
  const box = await readBox(bar)
  expect([box.x, box.width, box.height, box.bottom]).toEqual([0, 390, 56, 844])
  expect(await bar.locator('.button.primary').count()).toBe(1)
  await page.locator('.page-tools button').click()
  await page.getByRole('menuitem', { name: 'Refresh' }).waitFor()
})

it('From 1024 px the state of the service is in an aside of 320 px next to the facts of a contract', async () => {
  const page = await admin('/app/contract')
  await waitForList(page)
  await getRows(page).locator('.lead a').first().click()
  const aside = page.locator('.page-aside')
  await aside.waitFor()
  for (const width of [1280, 1024]) {
    await page.setViewportSize({ width, height: 800 })
    expect((await readBox(aside)).width).toBe(320)
    expect((await readBox(aside)).y).toBeCloseTo((await readBox(page.locator('.order-terms'))).y, 0)
  }
  await page.setViewportSize({ width: 1000, height: 800 })
  expect((await readBox(aside)).y).toBeGreaterThan((await readBox(page.locator('.order-terms'))).bottom)
})
