/** What a person sees and decides of changes that wait, in real Chromium against a real server. */
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { findSeriousViolations } from '#tests/support/browser/browser.ts'
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

/** Patience for what has to go to the server and come back. */
const longTimeout = { timeout: 30_000 }

/** The network goes once the worker has everything and the list is whole. */
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

/** Opens the user of that name in its form, changes it and saves; seen by the version the form has. */
async function edit(search: string, change: (form: Locator) => Promise<unknown>) {
  await go(`/app/user?searchText=${search}`)
  await page.locator('.lead a').first().click()
  await getDialog().locator('input[name="name"]').waitFor()
  await change(getDialog())
  await save()
}
/** The number of the first user of the list. */
const readShownId = async () =>
  /user=(\d+)/.exec((await page.locator('.lead a').first().getAttribute('href')) ?? '')?.[1]
/** By the same person's session from outside the page, which has no line. */
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
it('a day of waiting: what waits is exported, what was refused is mended, what met another change is compared by keyboard (A-02, P-13, protocol 1, 14, 15)', async () => {
  url = fixture.portal.url
  page = await openFreshPage(setup, admin, '/app/user')
  await page.locator('.lead a').first().waitFor()
  await waitForCompleteList(page)
  await cut()
  // Nothing on this device says that it is taken.
  await inviteElsewhere('taken@acme.example')
  await create('Aaron Ng', 'taken@acme.example')
  await edit('aaron', (form) => getLabel(form.locator('input[name="alert"]')).click())
  await edit('andrew', async (form) => {
    await form.locator('input[name="name"]').fill('Andrew of Mine')
    await form.locator('select[name="title"]').selectOption('2')
    await getLabel(form.locator('input[name="alert"]')).click()
  })
  const andrew = await readShownId()
  // Somebody else, with a line of their own.
  await changeElsewhere(andrew, { name: 'Andrew of Theirs', title: 1, order: true })
  await toOutbox()
  await getWrite('New user Aaron Ng').getByText("Sends when you're back online", { exact: false }).waitFor()
  expect(['waiting', await findSeriousViolations(page)]).toEqual(['waiting', []])
  // A link to what it waits for, which is then in view and has the focus.
  await getWrite('Change alert of Aaron Ng')
    .getByRole('link', { name: 'Waits for user Aaron Ng, which is sent first.' })
    .click()
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.querySelector('h3')?.textContent))
    .toBe('New user Aaron Ng')
  // Dropping is asked about, and what keeps it has the focus.
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
  expect(['compare', await findSeriousViolations(page)]).toEqual(['compare', []])
  const keep = getDialog().getByRole('button', { name: 'Save this choice' })
  expect(await keep.getAttribute('aria-disabled')).toBe('true')
  // By keyboard alone: each row is one stop, the arrows choose in it.
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
  // Wrong once more: it comes back to the open form, and is still there.
  await getDialog().locator('input[name="email"]').fill('bonnie.siu@acme.example')
  await getDialog().locator('input[name="name"]').fill('Aaron Ng the Elder')
  await getDialog().locator('button[type="submit"]').click()
  await expect.poll(() => getDialog().locator('.field-error').count(), longTimeout).toBe(1)
  await getDialog().locator('input[name="email"]').fill('aaron.ng@acme.example')
  await save()
  await page.getByRole('heading', { name: 'Everything has been sent' }).waitFor(longTimeout)
  const createReceipt = getReceipt('New user Aaron Ng the Elder')
  await createReceipt.locator('summary').click()
  expect(['receipt', await findSeriousViolations(page)]).toEqual(['receipt', []])
  const correlation = await createReceipt.locator('code').innerText()
  expect(correlation).toMatch(/^[0-9a-f-]{36}$/)
  const trailLink = createReceipt.getByRole('link', { name: 'Show in the audit trail' })
  expect(await trailLink.getAttribute('href')).toBe(`/saas/app/systrail?intent=${correlation}`)

  await go('/app/user?searchText=andrew')
  const flags = /Andrew of Mine[\s\S]*Order[\s\S]*Alert/
  await expect.poll(() => page.locator('tbody tr').first().innerText()).toMatch(flags)
  // How they are addressed is in the form alone.
  await page.locator('.lead a').first().click()
  await expect.poll(() => getDialog().getByLabel('Title').inputValue()).toBe('1')
})

const cookie = async (of: string) =>
  (await page.context().cookies(`${url}/saas/`)).find((candidate) => candidate.name === of)?.value ?? ''
