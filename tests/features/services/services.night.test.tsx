/** The services on the screen (contracts 2, 4; M111 to M122; D41, D50, D53, D89): as they are found, told, and acted on, over a real host. */
import { screen, within } from '@testing-library/dom'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ServiceRow } from '#contract/services.ts'
import { updateService } from '#server/db/hosting/services.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { hostingKinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import { button, described, named, problems, type, typeConfirmation } from '#tests/support/pages/fields.ts'
import { type LocalUnderTest, openLocalHosting } from '#tests/support/hosting/hosting.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { arrived } from '#tests/support/pages/screen.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { bought } from '#tests/support/orders/shop-data.ts'
import { handsOn, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

// Real processes are started, beside those of other tests.
vi.setConfig({ testTimeout: 90_000 })

const the = setUpShopPages({ clock: 'machine' })
const { press, dialog, noDialog, choose, says } = handsOn(the)

let host: LocalUnderTest
let acme: SignedIn
let staff: SignedIn
afterEach(() => host.end())
beforeEach(async () => {
  host = openLocalHosting()
  the.server.app.hosting = host.driver
  acme = await the.server.signIn('admin@acme')
  staff = await the.server.signIn('delete@m18')
})

const all = async (): Promise<ServiceRow[]> => (await staff.send({ url: '/api/aws/service?results=50' })).json().data
async function service(code: string): Promise<ServiceRow> {
  const found = (await all()).find((one) => one.code === code)
  if (!found) throw new Error(`there is no service ${code}`)
  return found
}
const buy = (code: string, fields = {}) =>
  bought(the.server, acme, { code, name: `Test ${code}`, period_start: today(), ...fields })
const set = async (code: string, fields: Parameters<typeof updateService>[2]) => {
  const { id } = await service(code)
  await inTransaction(the.server.app, { role: 'portal_system' }, (db) =>
    updateService(db, id, fields, the.server.clock.now),
  )
}
/** The server's own work on what was asked for, once it was. What the host wrote meanwhile is over by the server's clock then. */
async function work() {
  await expect.poll(() => workOne(the.server.app, hostingKinds), { interval: 50 }).toBeTruthy()
  the.server.clock.now = Date.now()
}
/** On the host, with no page. */
async function create(code: string): Promise<ServiceRow> {
  const { contract_id: contract } = await buy(code)
  const begun = await acme.send({ method: 'POST', url: `/api/aws/service?contractId=${contract}` })
  expect(begun.statusCode).toBe(202)
  await work()
  const made = await service(code)
  expect(made).toMatchObject({ system_status: 2, online: 1, operation: null })
  return made
}
const starts = (path: string) => the.browser.sent.filter((sent) => sent.path.startsWith(path) && sent.method !== 'GET')

const rows = () => [...document.querySelectorAll<HTMLTableRowElement>('main tbody tr:not(.waiting)')]
const codes = () => rows().map((row) => row.querySelector('.service-code')?.textContent)
const cells = (code: string) =>
  [...(rows().find((row) => row.querySelector('.service-code')?.textContent === code)?.cells ?? [])].map(
    ({ textContent }) => textContent?.trim(),
  )
const items = () =>
  screen.getAllByRole('menuitem').map((item) => ({
    name: item.querySelector('.menu-words')?.firstChild?.textContent,
    ...(item.getAttribute('aria-disabled') ? { why: described(item) } : {}),
  }))
const fact = (name: string) =>
  [...document.querySelectorAll('dl.facts > div')]
    .find((one) => one.querySelector('dt')?.textContent === name)
    ?.querySelector('dd')?.textContent

it('lists all services for the staff: found by text, status and company, sorted, and read with no line', async () => {
  await set('acmetrade', { system_status: 5, fault: 'failed', online: 0 })
  await set('acmetest', { needs_reboot: true, task_runtime_memory: 2000, running_memory: 1500, task_desire_count: 2 })
  await the.browser.openAs('delete@m18', '/app/service')
  await expect.poll(() => codes().length).toBeGreaterThan(1)
  const headers = [...document.querySelectorAll('thead th')].map(({ textContent }) => textContent)
  expect(headers).toEqual(['Code', 'Name', 'Company', 'Status', 'Set / running', 'Created', 'Expiry date', 'Actions'])
  expect(cells('acmetrade')[3]).toBe('FailedThe last operation failed')
  expect(cells('acmetest')[3]).toContain('Needs reboot')
  expect(cells('acmetest')[4]).toMatch(/^Tasks 2 \/ \d2,000 \/ 1,500 MB$/)

  await the.user.selectOptions(named('status'), 'Failed')
  await arrived(the.browser, '/app/service?status=5')
  await expect.poll(codes).toEqual(['acmetrade'])
  await the.user.selectOptions(named('status'), 'All')
  await the.user.type(screen.getByRole('textbox', { name: 'Search code, name or company' }), 'acmete')
  await expect.poll(codes).toEqual(['acmetest'])
  await the.user.click(button('Clear search'))

  const company = await screen.findByRole('combobox', { name: 'Company' })
  await the.user.type(company, 'beta')
  await the.user.click(await screen.findByRole('option', { name: /BETA/ }))
  await screen.findByRole('heading', { name: 'No service matches these filters' })
  await press('Show all services')
  await expect.poll(() => codes().length).toBeGreaterThan(1)

  the.browser.goOffline()
  await press('Code')
  await expect.poll(() => codes().at(-1)).toBe('acmetest')
  await the.user.type(screen.getByRole('textbox', { name: 'Search code, name or company' }), 'acmetr')
  await expect.poll(codes).toEqual(['acmetrade'])
  expect(document.querySelector('.problem')).toBeNull()
  await the.user.click(screen.getByRole('link', { name: 'acmetrade' }))
  await screen.findByRole('heading', { level: 1, name: 'Acme trading' })
  expect(await says('Try the operation again.')).toBeTruthy()
})

it('shows hostile names as the text that they are', async () => {
  await buy('hostile', { name: `<img src=x onerror=alert(1)> ${'שלום '.repeat(10)}`.trim() })
  await the.browser.openAs('delete@m18', '/app/service?searchText=hostile')
  await expect.poll(codes).toEqual(['hostile'])
  expect(document.querySelector('main img')).toBeNull()
  // In a direction of its own: it turns nothing around it.
  const bdi = rows()[0]?.cells[1]?.querySelector('bdi')
  expect(bdi?.textContent).toContain('<img src=x')
})

it('offers what state and right allow, and says why not of what cannot be done now', async () => {
  await buy('fresh')
  await the.browser.openAs('admin@m18', '/app/service')
  await press('More for fresh')
  await expect.poll(items).toEqual([{ name: 'Create service' }, { name: 'History' }])
  await the.user.keyboard('{Escape}')
  expect(screen.queryByRole('button', { name: 'Reset password fresh' })).toBeNull()

  await press('More for acmetest')
  await expect
    .poll(() => items().map(({ name }) => name))
    .toEqual(['Update', 'Reboot', 'Change configuration', 'Log viewer', 'Download log', 'History', 'Remove service'])
  await the.user.keyboard('{Escape}')
  the.browser.goOffline()
  await press('More for acmetest')
  const needs = 'This needs a connection.'
  await expect
    .poll(items)
    .toEqual([
      { name: 'Update', why: needs },
      { name: 'Reboot', why: needs },
      { name: 'Change configuration', why: needs },
      { name: 'Log viewer' },
      { name: 'Download log', why: needs },
      { name: 'History' },
      { name: 'Remove service', why: needs },
    ])
  await expect.poll(() => described(button('Reset password acmetest'))).toBe(needs)
})

it('creates the system of a contract for who orders, with its progress, and shows the first password once', async () => {
  const { id } = await buy('shop1')
  await the.browser.openAs('admin@acme', `/app/contract/${id}`)
  await screen.findByRole('heading', { name: 'Service' })
  await says('The system is not set up.')
  await choose('More for the service shop1', 'Create service')
  const ask = await dialog('Create the service shop1?')
  await ask.press('Create service')
  await says('The system is being set up.')
  await screen.findByRole('progressbar', { name: 'Progress of shop1' })
  await noDialog()
  await work()
  const offer = await dialog('New password of shop1')
  await says('shop1: Service is created successfully')
  // Told once: the list of tasks has nothing that nobody has seen.
  expect(screen.queryByRole('button', { name: /task(s)? (has|have) ended/ })).toBeNull()
  await new Promise((resolve) => setTimeout(resolve, 1000))
  expect(screen.queryByText(/^Task finished/)).toBeNull()
  await offer.press('Show password')
  await offer.findByText('Copy it now: it is not shown again.')
  const [user, password] = [...offer.element.querySelectorAll('code')].map(({ textContent }) => textContent)
  expect([user, password]).toEqual(['admin', expect.stringMatching(/^\w{20}$/)])
  await the.user.click(offer.getAllByRole('button', { name: 'Close' }).at(-1) ?? offer.element)
  await noDialog()
  expect(document.body.textContent).not.toContain(password)
  await expect.poll(() => screen.queryByText('A new password is ready to be shown.')).toBeNull()
  await expect.poll(() => fact('Health check')).toBe('Online')
  // The notice of the set-up goes with it (contracts 4).
  await expect.poll(() => document.querySelector('.order-note')?.textContent).toBeUndefined()
  const found = await service('shop1')
  expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toContain(found.url)
})

nightly('keeps the offer of a password over a reload, until it was shown', async () => {
  const { id, code } = await create('shop2')
  await the.browser.openAs('delete@m18', `/app/service/${id}`)
  await choose(`More for the service ${code}`, 'Reset password')
  await (await dialog('Reset the password of shop2?')).press('Reset password')
  await says('The password is being reset.')
  await the.browser.open(`/app/service/${id}`)
  await says('The password is being reset.')
  await work()
  await says('A new password is ready to be shown.')
  await the.browser.open('/app/activity')
  expect(await screen.findAllByText('Reset of a service password')).not.toEqual([])
  await screen.findByRole('button', { name: 'Show password' })
  await the.browser.open(`/app/service/${id}`)
  await press('Show password')
  const offer = await dialog('New password of shop2')
  await offer.press('Show password')
  await offer.findByText('Copy it now: it is not shown again.')
  await the.browser.open(`/app/service/${id}`)
  await screen.findByRole('heading', { name: 'Configuration' })
  // The device's row of before may be there first.
  await expect.poll(() => screen.queryByRole('button', { name: 'Show password' })).toBeNull()
})

nightly('takes a configuration that is allowed, keeps what is typed with no line, and offers the reboot', async () => {
  const { id } = await create('shop3')
  await the.browser.openAs('delete@m18', `/app/service/${id}`)
  await choose('More for the service shop3', 'Change configuration')
  const form = await dialog('Configuration of shop3')
  await type(the.user, { memory: '900' })
  await form.press('Change configuration')
  expect(problems()).toEqual({ memory: expect.stringContaining('0, or a whole number from 1,000 to 8,000') })
  expect(document.activeElement).toBe(named('memory'))
  await type(the.user, { memory: '1,500' })
  expect(problems()).toEqual({})
  await the.user.selectOptions(named('tasks'), '2 tasks')

  the.browser.goOffline()
  const send = () => form.getByRole('button', { name: 'Change configuration' })
  await expect.poll(() => send().getAttribute('aria-disabled')).toBe('true')
  expect(described(send())).toBe('This needs a connection.')
  await the.user.click(send())
  the.browser.goOnline()
  await expect.poll(() => send().getAttribute('aria-disabled')).toBeNull()
  // It did not go by itself (D89).
  expect(starts('/api/aws/changecfg')).toEqual([])
  expect(named('memory').value).toBe('1,500')
  await the.user.click(send())
  await work()
  const offer = await dialog('Reboot shop3 now?')
  await offer.press('Later')
  await says('shop3: Configuration is changed successfully')
  await says('The configuration that is set takes effect with a reboot.')
  const table = within(screen.getByRole('table'))
  await expect
    .poll(() => table.getAllByRole('row').map(({ textContent }) => textContent))
    .toEqual(['ValueSetRunning', expect.stringMatching(/^Memory of a task1,500 MB\d+ MB$/), 'Tasks21'])
  // That the change is over is known by its task, a moment after the row.
  const reboot = await screen.findByRole('button', { name: 'Reboot now' })
  await expect.poll(() => reboot.getAttribute('aria-disabled')).toBeNull()
  await the.user.click(reboot)
  await (await dialog('Reboot shop3?')).press('Reboot')
  await work()
  await says('shop3: Service is rebooted successfully')
  await expect.poll(() => screen.queryByText('The configuration that is set takes effect with a reboot.')).toBeNull()
})

nightly('says who does what to a service that is held, and leaves it (M49)', async () => {
  const { id } = await create('shop4')
  await the.browser.openAs('delete@m18', `/app/service/${id}`)
  await choose('More for the service shop4', 'Reboot')
  const ask = await dialog('Reboot shop4?')
  // Somebody else was quicker.
  await acme.send({ method: 'POST', url: `/api/aws/resetpwd/${id}` })
  await ask.press('Reboot')
  const { name } = (await acme.send({ url: '/api/m18s/user' })).json() as { name: string }
  await says(`${name} is doing a password reset, please try again later.`)
  expect(screen.getByRole('dialog', { name: 'Reboot shop4?' })).toBeTruthy()
  await ask.press('Cancel')
  await noDialog()
  // As soon as the list tells of it, it is said before it is tried.
  await press('Refresh')
  await says('The password is being reset.')
  await press('More for the service shop4')
  await expect.poll(() => items()[0]).toEqual({ name: 'Update', why: `${name} is doing a password reset.` })
  await work()
})

nightly('names no person of the provider to a customer', async () => {
  const { id, contract_id: contract } = await create('shop5')
  const orders = (
    await acme.send({ url: `/api/company/${(await service('shop5')).company_id}/sorder?results=50` })
  ).json()
  const order = (orders.data as { id: number; contract_id: number }[]).find((one) => one.contract_id === contract)
  await the.browser.openAs('admin@acme', `/app/contract/${order?.id}`)
  await choose('More for the service shop5', 'Reboot')
  const ask = await dialog('Reboot shop5?')
  await staff.send({ method: 'POST', url: `/api/aws/resetpwd/${id}` })
  await ask.press('Reboot')
  await says('The provider is doing a password reset, please try again later.')
  await work()
})

it('deletes with the data only after the code was typed, and shows it as gone', async () => {
  const { id } = await create('shop6')
  await the.browser.openAs('delete@m18', `/app/service/${id}`)
  await choose('More for the service shop6', 'Remove service')
  const remove = await dialog('Remove shop6?')
  await remove.findByText(/Its data is kept for 30 days/)
  await remove.press('Remove service')
  await work()
  await says('shop6: Service is removed successfully')
  await says('Its data is kept until')

  await choose('More for the service shop6', 'Delete service')
  await typeConfirmation(the.user, 'shop')
  const confirm = await dialog('Delete shop6')
  await confirm.press('Delete service')
  await confirm.findAllByText('Input Error!')
  expect(starts(`/api/aws/service/${id}`)).toEqual([])
  await typeConfirmation(the.user, 'shop6')
  await confirm.press('Delete service')
  await work()
  await says('shop6: Service is deleted successfully')
  expect((await all()).find((one) => one.code === 'shop6')?.erase_date ?? null).toBeNull()
})

nightly('re-runs the health check from both of the staff’s pages, and says how many are online', async () => {
  await create('shop7')
  await the.browser.openAs('delete@m18', '/app/service')
  await press('Re-run health check')
  await screen.findByText(/^\d+ services checked, \d+ online\.$/)
  await the.browser.open('/app/contract')
  await choose('Tools', 'Re-run health check')
  await screen.findByText(/^\d+ services checked, \d+ online\.$/)
})

nightly('follows the log of a service from its end, finds a line, and says what is wrong with a span', async () => {
  const { id } = await create('shop8')
  const lines = () => [...document.querySelectorAll('.log-text')].map(({ textContent }) => textContent ?? '')
  await the.browser.openAs('delete@m18', `/app/service/${id}/log`)
  await expect.poll(lines).toContainEqual(expect.stringContaining('task 1 begins'))
  expect(screen.getByRole('log', { name: 'Log of shop8' })).toBeTruthy()

  await the.user.click(button('Follow'))
  await says('New lines appear automatically.')
  the.browser.goOffline()
  await says("Offline. It continues when you're back online.")
  const asked = () => the.browser.sent.filter(({ path }) => path.includes('/log/') && path.includes('after=')).length
  await new Promise((go) => setTimeout(go, 2_500))
  // What was asked for with a line has come by now.
  const [whileOffline, before] = [asked(), lines().length]
  await acme.send({ method: 'POST', url: `/api/aws/reboot/${id}` })
  await work()
  expect(lines()).toHaveLength(before)
  the.browser.goOnline()
  await expect.poll(() => lines().length).toBeGreaterThan(before)
  await expect.poll(asked).toBeGreaterThan(whileOffline)
  await the.user.click(button('Follow'))

  await type(the.user, { from: '2020-01-01 00:00' })
  expect(problems()['from']).toMatch(/^Not earlier than \d{4}-\d\d-\d\d 00:00 \(180 days ago\)$/)
  await type(the.user, { from: 'yesterday' })
  await the.user.tab()
  expect(problems()['from']).toBe('Please write a date and time such as 2026-11-24 09:30.')
  // The lines stay those of the last span that held.
  expect(lines().length).toBeGreaterThan(before)
  await press('Last hour')
  expect(problems()).toEqual({})
  await type(the.user, { to: '2025-01-01 00:00' })
  expect(problems()['to']).toMatch(/^The end must be after the start/)
  await press('Today')

  await the.user.type(screen.getByRole('textbox', { name: 'Search the log' }), 'no such line')
  await screen.findByRole('heading', { name: 'No line of this span contains this text' })
})

nightly('downloads a log by a key, and says where there is nothing', async () => {
  const { id } = await create('shop9')
  const fetched: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    fetched.push(new URL(this.href).pathname)
  })
  await the.browser.openAs('delete@m18', `/app/service/${id}`)
  await choose('More for the service shop9', 'Download log')
  const form = await dialog('Download the log of shop9')
  await form.findByLabelText('From')
  await type(the.user, { from: '' })
  await form.press('Download')
  expect(problems()).toEqual({ from: 'Required' })
  await form.press('7 days')
  await form.press('Download')
  await noDialog()
  expect(fetched).toEqual([expect.stringMatching(/^\/public\/log\/[\w-]{22,}$/)])
  const file = await the.server.send({ url: fetched[0] ?? '' })
  expect(file.headers['content-disposition']).toContain('filename="shop9-log-')
  expect(file.body).toContain('task 1 begins')

  await choose('More for the service shop9', 'Download log')
  const again = await dialog('Download the log of shop9')
  await again.findByLabelText('From')
  const day = new Date(the.server.clock.now - 9 * 86_400_000).toISOString().slice(0, 10)
  await type(the.user, { from: `${day} 00:00`, to: `${day} 12:00` })
  await again.press('Download')
  await says('No logs output during this period')
  expect(fetched).toHaveLength(1)
  vi.restoreAllMocks()
})
