/** Tests waiting writes on the screen and the user's decisions about them, in Chromium with a real server. */
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { findViolations } from '#tests/support/browser/browser.ts'
import { waitForCachedPart } from '#tests/support/pages/cached-parts.ts'
import {
  waitForController,
  openFreshPage,
  getLabel,
  waitForCompleteList,
  takeOwnCompany,
  setUpShared,
  readText,
} from '#tests/support/browser/browser-setup.ts'

const setup = setUpShared()
const { fixture } = setup
const { admin } = takeOwnCompany()
let page: Page

const longTimeout = { timeout: 30_000 }

/** Cuts the network after the worker has cached all files and the list is complete. */
async function cut() {
  await waitForController(page)
  await waitForCachedPart(page, 'users')
  await page.context().setOffline(true)
}
const goOnline = () => page.context().setOffline(false)

const getDialog = () => page.getByRole('dialog')
let url: string
const go = (path: string) => page.goto(`${url}/saas${path}`)
const toOutbox = () => page.locator('.bar-waiting').click()
const getWrites = () => page.locator('.write')
const getWrite = (text: string) => getWrites().filter({ has: page.getByRole('heading', { name: text }) })
const getReceipt = (text: string) => page.locator('.receipts li').filter({ hasText: text })
const save = async () => {
  await getDialog().locator('button[type="submit"]').click()
  await getDialog().waitFor({ state: 'detached', ...longTimeout })
}

/** Opens the form of the user that `search` finds, changes it and saves. */
async function edit(search: string, change: (form: Locator) => Promise<unknown>) {
  await go(`/app/user?searchText=${search}`)
  await page.locator('.lead a').first().click()
  await getDialog().locator('input[name="name"]').waitFor()
  await change(getDialog())
  await save()
}
const readShownId = async () =>
  /user=(\d+)/.exec((await page.locator('.lead a').first().getAttribute('href')) ?? '')?.[1]
/** Changes the user from outside the page with the same session. The page itself is offline. */
async function changeElsewhere(id: string | undefined, data: object) {
  const accessToken = await cookie('portal-access')
  const headers = { authorization: `Bearer ${accessToken}`, 'idempotency-key': crypto.randomUUID() }
  const response = await page.request.put(`${url}/api/m18s/company-user/${id}`, { headers, data })
  expect(response.status()).toBe(200)
}
async function inviteElsewhere(email: string) {
  const accessToken = await cookie('portal-access')
  const headers = { authorization: `Bearer ${accessToken}`, 'idempotency-key': crypto.randomUUID() }
  const response = await page.request.post(`${url}/api/m18s/user`, {
    headers,
    data: { title: 0, name: 'Of another', email },
  })
  expect(response.status()).toBe(200)
}
async function create(name: string, email: string) {
  await go('/app/user?user=new')
  await getDialog().locator('input[name="name"]').fill(name)
  await getDialog().locator('input[name="email"]').fill(email)
  await save()
}
it('By keyboard: export writes, fix refused ones, compare conflicts (A-02, P-13, protocol 1, 14, 15)', async () => {
  url = fixture.portal.url
  page = await openFreshPage(setup, admin, '/app/user')
  await page.locator('.lead a').first().waitFor()
  await waitForCompleteList(page)
  await cut()
  // The device has no data from which it could see that the address is taken.
  await inviteElsewhere('taken@acme.example')
  await create('Aaron Ng', 'taken@acme.example')
  await edit('aaron', (form) => getLabel(form.locator('input[name="alert"]')).click())
  await edit('andrew', async (form) => {
    await form.locator('input[name="name"]').fill('Andrew of Mine')
    await form.locator('select[name="title"]').selectOption('2')
    await getLabel(form.locator('input[name="alert"]')).click()
  })
  const andrew = await readShownId()
  // This is another change of the same user, made online.
  await changeElsewhere(andrew, { name: 'Andrew of Theirs', title: 1, order: true })
  await toOutbox()
  await getWrite('New user Aaron Ng').getByText("Sends when you're back online", { exact: false }).waitFor()
  expect(['waiting', await findViolations(page)]).toEqual(['waiting', []])
  // The link leads to the earlier write, which is then visible and focused.
  await getWrite('Change alert of Aaron Ng')
    .getByRole('link', { name: 'Waits for user Aaron Ng, which is sent first.' })
    .click()
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.querySelector('h3')?.textContent))
    .toBe('New user Aaron Ng')
  // Discarding asks for confirmation, and the cancel button has the focus.
  await getWrite('New user Aaron Ng').getByRole('button', { name: 'Discard' }).click()
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Keep it')
  await page.keyboard.press('Enter')
  await getDialog().waitFor({ state: 'detached' })
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export as file' }).click(),
  ])
  expect(download.suggestedFilename()).toMatch(/^waiting-changes-20[\d-]+\.json$/)
  const exportedFile = JSON.parse(await readText(download)) as { writes: unknown[] }
  expect(exportedFile.writes).toMatchObject([
    { endpoint: 'createUser', action: 'create', input: { body: { name: 'Aaron Ng' } } },
    { endpoint: 'updateCompanyUser' },
    { endpoint: 'updateCompanyUser', input: { body: { name: 'Andrew of Mine' } } },
  ])
  expect(JSON.stringify(exportedFile)).not.toMatch(/password|token/i)

  await goOnline()
  const conflict = getWrites().filter({ hasText: 'Conflict' })
  await conflict.getByText('You changed this elsewhere in the meantime.', { exact: false }).waitFor(longTimeout)
  await getWrite('New user Aaron Ng').getByText('User with the same email exists already.').waitFor(longTimeout)
  await conflict.getByRole('button', { name: 'Compare and choose' }).click()
  await getDialog()
    .getByText(/^You changed it yourself 20\d\d-/)
    .waitFor()
  expect(await getDialog().locator('.compare-merged').innerText()).toMatch(
    /Alert: .+\nChanged on this device only[\s\S]*Order: .+\nChanged on the server only/,
  )
  expect(['compare', await findViolations(page)]).toEqual(['compare', []])
  const keep = getDialog().getByRole('button', { name: 'Save this choice' })
  expect(await keep.getAttribute('aria-disabled')).toBe('true')
  // Uses the keyboard only: each row is one tab stop, and arrow keys select within it.
  await getDialog().getByRole('group', { name: 'Name' }).getByRole('radio').first().focus()
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await page.keyboard.press('ArrowRight')
  expect(await getDialog().getByRole('radio', { name: 'This device Andrew of Mine' }).isChecked()).toBe(true)
  expect(await getDialog().getByRole('radio', { name: 'Server Ms' }).isChecked()).toBe(true)
  await keep.click()
  await getReceipt('Andrew of Mine').getByText('Done').waitFor(longTimeout)

  await getWrite('New user Aaron Ng').getByRole('button', { name: 'Edit and resend' }).click()
  await getDialog().getByText('User with the same email exists already.').waitFor()
  expect(await getDialog().locator('input[name="name"]').inputValue()).toBe('Aaron Ng')
  // The write is refused again: the problem is shown in the open form, which keeps the input.
  await getDialog().locator('input[name="email"]').fill('bonnie.siu@acme.example')
  await getDialog().locator('input[name="name"]').fill('Aaron Ng the Elder')
  await getDialog().locator('button[type="submit"]').click()
  await expect.poll(() => getDialog().locator('.field-error').count(), longTimeout).toBe(1)
  await getDialog().locator('input[name="email"]').fill('aaron.ng@acme.example')
  await save()
  await page.getByRole('heading', { name: 'Everything has been sent' }).waitFor(longTimeout)
  const createReceipt = getReceipt('New user Aaron Ng the Elder')
  await createReceipt.locator('summary').click()
  expect(['receipt', await findViolations(page)]).toEqual(['receipt', []])
  const correlation = await createReceipt.locator('code').innerText()
  expect(correlation).toMatch(/^[0-9a-f-]{36}$/)
  const trailLink = createReceipt.getByRole('link', { name: 'Show in the audit trail' })
  expect(await trailLink.getAttribute('href')).toBe(`/saas/app/systrail?intent=${correlation}`)

  await go('/app/user?searchText=andrew')
  const flags = /Andrew of Mine[\s\S]*Order[\s\S]*Alert/
  await expect.poll(() => page.locator('tbody tr').first().innerText()).toMatch(flags)
  // The title is only shown in the form.
  await page.locator('.lead a').first().click()
  await expect.poll(() => getDialog().getByLabel('Title').inputValue()).toBe('1')
})

const cookie = async (of: string) =>
  (await page.context().cookies(`${url}/saas/`)).find((candidate) => candidate.name === of)?.value ?? ''
