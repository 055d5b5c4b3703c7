/** Tests the service pages (contracts 2, 4; M111 to M122; D41, D50, D53, D89), with a real host. */
import { screen, within } from '@testing-library/dom'
import { expect, it, vi } from 'vitest'
import { updateService } from '#server/db/hosting/services.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { setUpServicePages } from '#tests/features/services/service-pages.ts'
import {
  getButton,
  readDescription,
  getNamedField,
  readProblems,
  typeValues,
  typeConfirmation,
} from '#tests/support/pages/fields.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { waitForPath } from '#tests/support/pages/screen.ts'
import { createUserActions } from '#tests/support/pages/shop-pages.ts'

// The timeout is long, because the test starts real processes while other tests run.
vi.setConfig({ testTimeout: 90_000 })

const servicePages = setUpServicePages({ clock: 'machine' })
const { fixture, sessions, fetchServices, fetchService, buyContract, runServerWork, createService } = servicePages
const { press, dialog, noDialog, choose, findText } = createUserActions(fixture)

const setServiceFields = async (code: string, fields: Parameters<typeof updateService>[2]) => {
  const { id } = await fetchService(code)
  await runInTransaction(fixture.server.app, { role: 'portal_system' }, (db) =>
    updateService(db, id, fields, fixture.server.clock.now),
  )
}
const listStartRequests = (path: string) =>
  fixture.browser.sentRequests.filter((sent) => sent.path.startsWith(path) && sent.method !== 'GET')

const findRows = () => [...document.querySelectorAll<HTMLTableRowElement>('main tbody tr:not(.waiting)')]
const readCodes = () => findRows().map((row) => row.querySelector('.service-code')?.textContent)
const readCells = (code: string) =>
  [...(findRows().find((row) => row.querySelector('.service-code')?.textContent === code)?.cells ?? [])].map(
    ({ textContent }) => textContent?.trim(),
  )
const openRange = () => press(/^Time range: /)
const readMenuItems = () =>
  screen.getAllByRole('menuitem').map((item) => ({
    name: item.querySelector('.menu-words')?.firstChild?.textContent,
    ...(item.getAttribute('aria-disabled') ? { disabledReason: readDescription(item) } : {}),
  }))
const readFact = (name: string) =>
  [...document.querySelectorAll('dl.facts > div')]
    .find((factRow) => factRow.querySelector('dt')?.textContent === name)
    ?.querySelector('dd')?.textContent

it('Staff searches, filters and sorts the list of all services, also offline', async () => {
  await setServiceFields('acmetrade', { system_status: 5, fault: 'failed', online: 0 })
  await setServiceFields('acmetest', {
    needs_reboot: true,
    task_runtime_memory: 2000,
    running_memory: 1500,
    task_desire_count: 2,
  })
  await fixture.browser.openAs('delete@m18', '/app/service')
  await expect.poll(() => readCodes().length).toBeGreaterThan(1)
  const headers = [...document.querySelectorAll('thead th')].map(({ textContent }) => textContent)
  expect(headers).toEqual(['Code', 'Name', 'Company', 'Status', 'Capacity', 'Created', 'Expiry date', 'Actions'])
  expect(readCells('acmetrade')[3]).toBe('FailedThe last operation failed')
  expect(readCells('acmetest')[3]).toContain('Needs reboot')
  expect(readCells('acmetest')[4]).toMatch(/^Instances \d( \(set: 2\))?1,500 MB \(set: 2,000 MB\)$/)

  await fixture.user.selectOptions(getNamedField('status'), 'Failed')
  await waitForPath(fixture.browser, '/app/service?status=5')
  await expect.poll(readCodes).toEqual(['acmetrade'])
  await fixture.user.selectOptions(getNamedField('status'), 'All')
  await fixture.user.type(screen.getByRole('textbox', { name: 'Search code, name or company' }), 'acmete')
  await expect.poll(readCodes).toEqual(['acmetest'])
  await fixture.user.click(getButton('Clear search'))

  const company = await screen.findByRole('combobox', { name: 'Company' })
  await fixture.user.type(company, 'beta')
  await fixture.user.click(await screen.findByRole('option', { name: /BETA/ }))
  await screen.findByRole('heading', { name: 'No service matches these filters' })
  await press('Show all services')
  await expect.poll(() => readCodes().length).toBeGreaterThan(1)

  fixture.browser.goOffline()
  await press('Code')
  await expect.poll(() => readCodes().at(-1)).toBe('acmetest')
  await fixture.user.type(screen.getByRole('textbox', { name: 'Search code, name or company' }), 'acmetr')
  await expect.poll(readCodes).toEqual(['acmetrade'])
  expect(document.querySelector('.problem')).toBeNull()
  await fixture.user.click(screen.getByRole('link', { name: 'acmetrade' }))
  await screen.findByRole('heading', { level: 1, name: 'Acme trading' })
  expect(await findText('Try the operation again.')).toBeTruthy()
})

it('Hostile names are shown as text', async () => {
  await buyContract('hostile', { name: `<img src=x onerror=alert(1)> ${'שלום '.repeat(10)}`.trim() })
  await fixture.browser.openAs('delete@m18', '/app/service?searchText=hostile')
  await expect.poll(readCodes).toEqual(['hostile'])
  expect(document.querySelector('main img')).toBeNull()
  // `bdi` isolates the text direction of the name from the text around it.
  const bdi = findRows()[0]?.cells[1]?.querySelector('bdi')
  expect(bdi?.textContent).toContain('<img src=x')
})

it('The menu offers the actions that state and permission allow, with a reason for each disabled action', async () => {
  await buyContract('fresh')
  await fixture.browser.openAs('admin@m18', '/app/service')
  await press('More for fresh')
  await expect.poll(readMenuItems).toEqual([{ name: 'Create service' }, { name: 'History' }])
  await fixture.user.keyboard('{Escape}')
  expect(screen.queryByRole('button', { name: 'Reset password fresh' })).toBeNull()

  await press('More for acmetest')
  await expect
    .poll(() => readMenuItems().map(({ name }) => name))
    .toEqual(['Update', 'Reboot', 'Change configuration', 'View log', 'Download log', 'History', 'Remove service'])
  await fixture.user.keyboard('{Escape}')
  fixture.browser.goOffline()
  await press('More for acmetest')
  const offlineReason = 'This needs a connection.'
  await expect
    .poll(readMenuItems)
    .toEqual([
      { name: 'Update', disabledReason: offlineReason },
      { name: 'Reboot', disabledReason: offlineReason },
      { name: 'Change configuration', disabledReason: offlineReason },
      { name: 'View log' },
      { name: 'Download log', disabledReason: offlineReason },
      { name: 'History' },
      { name: 'Remove service', disabledReason: offlineReason },
    ])
  await expect.poll(() => readDescription(getButton('Reset password acmetest'))).toBe(offlineReason)
})

it('A user with the order right creates a service, sees its progress, and sees its first password once', async () => {
  const { id } = await buyContract('shop1')
  await fixture.browser.openAs('admin@acme', `/app/contract/${id}`)
  await screen.findByRole('heading', { name: 'Service' })
  await findText('The system is not set up.')
  await choose('More for the service shop1', 'Create service')
  const createDialog = await dialog('Create the service shop1?')
  await createDialog.press('Create service')
  await findText('The system is being set up.')
  await screen.findByRole('progressbar', { name: 'Progress of shop1' })
  await noDialog()
  await runServerWork()
  const passwordDialog = await dialog('New password of shop1')
  await findText('shop1: Service is created successfully')
  // The result was shown once, so the list of tasks has no unread entry.
  expect(screen.queryByRole('button', { name: /task(s)? (has|have) ended/ })).toBeNull()
  await new Promise((resolve) => setTimeout(resolve, 1000))
  expect(screen.queryByText(/^Task finished/)).toBeNull()
  await passwordDialog.press('Show password')
  await passwordDialog.findByText('Copy it now: it is not shown again.')
  const [user, password] = [...passwordDialog.element.querySelectorAll('code')].map(({ textContent }) => textContent)
  expect([user, password]).toEqual(['admin', expect.stringMatching(/^\w{20}$/)])
  await fixture.user.click(passwordDialog.getAllByRole('button', { name: 'Close' }).at(-1) ?? passwordDialog.element)
  await noDialog()
  expect(document.body.textContent).not.toContain(password)
  await expect.poll(() => screen.queryByText('A new password is ready to be shown.')).toBeNull()
  await expect.poll(() => readFact('Health check')).toBe('Online')
  // The notice about the missing service disappears when the service is created (contracts 4).
  await expect.poll(() => document.querySelector('.order-note')?.textContent).toBeUndefined()
  const createdService = await fetchService('shop1')
  expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toContain(createdService.url)
})

nightly('A new password is still offered after a reload, until it was shown', async () => {
  const { id, code } = await createService('shop2')
  await fixture.browser.openAs('delete@m18', `/app/service/${id}`)
  await choose(`More for the service ${code}`, 'Reset password')
  await (await dialog('Reset the password of shop2?')).press('Reset password')
  await findText('The password is being reset.')
  await fixture.browser.open(`/app/service/${id}`)
  await findText('The password is being reset.')
  await runServerWork()
  await findText('A new password is ready to be shown.')
  await fixture.browser.open('/app/activity?tab=tasks')
  expect(await screen.findAllByText('Reset a service password')).not.toEqual([])
  await screen.findByRole('button', { name: 'Show password' })
  await fixture.browser.open(`/app/service/${id}`)
  await press('Show password')
  const passwordDialog = await dialog('New password of shop2')
  await passwordDialog.press('Show password')
  await passwordDialog.findByText('Copy it now: it is not shown again.')
  await fixture.browser.open(`/app/service/${id}`)
  await screen.findByRole('heading', { name: 'Configuration' })
  // The cached row may be shown first, still with the button.
  await expect.poll(() => screen.queryByRole('button', { name: 'Show password' })).toBeNull()
})

nightly('The configuration form checks its values, keeps them offline and offers the reboot', async () => {
  const { id } = await createService('shop3')
  await fixture.browser.openAs('delete@m18', `/app/service/${id}`)
  await choose('More for the service shop3', 'Change configuration')
  const form = await dialog('Configuration of shop3')
  await typeValues(fixture.user, { memory: '900' })
  await form.press('Change configuration')
  expect(readProblems()).toEqual({ memory: expect.stringContaining('0, or a whole number from 1,000 to 8,000') })
  expect(document.activeElement).toBe(getNamedField('memory'))
  await typeValues(fixture.user, { memory: '1,500' })
  expect(readProblems()).toEqual({})
  await fixture.user.selectOptions(getNamedField('tasks'), '2 instances')

  fixture.browser.goOffline()
  const findSendButton = () => form.getByRole('button', { name: 'Change configuration' })
  await expect.poll(() => findSendButton().getAttribute('aria-disabled')).toBe('true')
  expect(readDescription(findSendButton())).toBe('This needs a connection.')
  await fixture.user.click(findSendButton())
  fixture.browser.goOnline()
  await expect.poll(() => findSendButton().getAttribute('aria-disabled')).toBeNull()
  // The change was not sent by itself (D89).
  expect(listStartRequests('/api/aws/changecfg')).toEqual([])
  expect(getNamedField('memory').value).toBe('1,500')
  await fixture.user.click(findSendButton())
  await runServerWork()
  const rebootOffer = await dialog('Reboot shop3 now?')
  await rebootOffer.press('Later')
  await findText('shop3: Configuration is changed successfully')
  await findText('The new configuration takes effect after a reboot.')
  const table = within(screen.getByRole('table'))
  await expect
    .poll(() => table.getAllByRole('row').map(({ textContent }) => textContent))
    .toEqual(['ValueSetRunning', expect.stringMatching(/^Memory of an instance1,500 MB\d+ MB$/), 'Instances21'])
  // The page learns from the task that the change has ended, shortly after the row has changed.
  const rebootButton = await screen.findByRole('button', { name: 'Reboot now' })
  await expect.poll(() => rebootButton.getAttribute('aria-disabled')).toBeNull()
  await fixture.user.click(rebootButton)
  await (await dialog('Reboot shop3?')).press('Reboot')
  await runServerWork()
  await findText('shop3: Service is rebooted successfully')
  await expect.poll(() => screen.queryByText('The new configuration takes effect after a reboot.')).toBeNull()
})

nightly('A service with a running operation shows who runs it, and refuses another operation (M49)', async () => {
  const { id } = await createService('shop4')
  await fixture.browser.openAs('delete@m18', `/app/service/${id}`)
  await choose('More for the service shop4', 'Reboot')
  const rebootDialog = await dialog('Reboot shop4?')
  // Another user starts an operation first.
  await sessions.acme.send({ method: 'POST', url: `/api/aws/resetpwd/${id}` })
  await rebootDialog.press('Reboot')
  const { name } = (await sessions.acme.send({ url: '/api/m18s/user' })).json() as { name: string }
  await findText(`${name} is doing a password reset, please try again later.`)
  expect(screen.getByRole('dialog', { name: 'Reboot shop4?' })).toBeTruthy()
  await rebootDialog.press('Cancel')
  await noDialog()
  // Once the list contains the operation, the page shows it before the user tries another operation.
  await press('Refresh')
  await findText('The password is being reset.')
  await press('More for the service shop4')
  await expect
    .poll(() => readMenuItems()[0])
    .toEqual({ name: 'Update', disabledReason: `${name} is doing a password reset.` })
  await runServerWork()
})

nightly('A customer does not see the names of provider staff', async () => {
  const { id, contract_id: contractId } = await createService('shop5')
  const orders = (
    await sessions.acme.send({ url: `/api/company/${(await fetchService('shop5')).company_id}/sorder?results=50` })
  ).json()
  const order = (orders.data as { id: number; contract_id: number }[]).find(
    (orderRow) => orderRow.contract_id === contractId,
  )
  await fixture.browser.openAs('admin@acme', `/app/contract/${order?.id}`)
  await choose('More for the service shop5', 'Reboot')
  const rebootDialog = await dialog('Reboot shop5?')
  await sessions.staff.send({ method: 'POST', url: `/api/aws/resetpwd/${id}` })
  await rebootDialog.press('Reboot')
  await findText('The provider is doing a password reset, please try again later.')
  await runServerWork()
})

it('Data is deleted only after the code was typed, and the service is then shown as removed', async () => {
  const { id } = await createService('shop6')
  await fixture.browser.openAs('delete@m18', `/app/service/${id}`)
  await choose('More for the service shop6', 'Remove service')
  const removeDialog = await dialog('Remove shop6?')
  await removeDialog.findByText(/Its data is kept for 30 days/)
  await removeDialog.press('Remove service')
  await runServerWork()
  await findText('shop6: Service is removed successfully')
  await findText('Its data is kept until')

  await choose('More for the service shop6', 'Delete service')
  await typeConfirmation(fixture.user, 'shop')
  const confirmDialog = await dialog('Delete shop6')
  await confirmDialog.press('Delete service')
  await confirmDialog.findAllByText('Input Error!')
  expect(listStartRequests(`/api/aws/service/${id}`)).toEqual([])
  await typeConfirmation(fixture.user, 'shop6')
  await confirmDialog.press('Delete service')
  await runServerWork()
  await findText('shop6: Service is deleted successfully')
  expect((await fetchServices()).find((service) => service.code === 'shop6')?.erase_date ?? null).toBeNull()
})

nightly('The health check runs from both staff pages and shows how many services are online', async () => {
  await createService('shop7')
  await fixture.browser.openAs('delete@m18', '/app/service')
  await press('Re-run health check')
  await screen.findByText(/^\d+ services checked, \d+ online\.$/)
  await fixture.browser.open('/app/contract')
  await choose('Tools', 'Re-run health check')
  await screen.findByText(/^\d+ services checked, \d+ online\.$/)
})

nightly('The log page follows the log from its end, searches its text and reports an invalid range', async () => {
  const { id } = await createService('shop8')
  const readLines = () => [...document.querySelectorAll('.log-text')].map(({ textContent }) => textContent ?? '')
  await fixture.browser.openAs('delete@m18', `/app/service/${id}/log`)
  await expect.poll(readLines).toContainEqual(expect.stringContaining('task 1 started'))
  expect(screen.getByRole('log', { name: 'Log of shop8' })).toBeTruthy()

  await fixture.user.click(getButton('Follow'))
  await findText('New lines appear automatically.')
  fixture.browser.goOffline()
  await findText("Offline. It continues when you're back online.")
  const countLogRequests = () =>
    fixture.browser.sentRequests.filter(({ path }) => path.includes('/log/') && path.includes('after=')).length
  await new Promise((resolve) => setTimeout(resolve, 2_500))
  // Waits until responses to requests that were sent online have arrived.
  const [requestsWhileOffline, linesBefore] = [countLogRequests(), readLines().length]
  await sessions.acme.send({ method: 'POST', url: `/api/aws/reboot/${id}` })
  await runServerWork()
  expect(readLines()).toHaveLength(linesBefore)
  fixture.browser.goOnline()
  await expect.poll(() => readLines().length).toBeGreaterThan(linesBefore)
  await expect.poll(countLogRequests).toBeGreaterThan(requestsWhileOffline)
  await fixture.user.click(getButton('Follow'))

  await openRange()
  await typeValues(fixture.user, { from: '2020-01-01 00:00' })
  expect(readProblems()['from']).toMatch(/^Not earlier than \d{4}-\d\d-\d\d 00:00 \(180 days ago\)$/)
  await typeValues(fixture.user, { from: 'yesterday' })
  await fixture.user.tab()
  expect(readProblems()['from']).toBe('Please enter a date and time such as 2026-11-24 09:30.')
  // The page still shows the lines of the last valid range.
  expect(readLines().length).toBeGreaterThan(linesBefore)
  await press('Last hour')
  await openRange()
  expect(readProblems()).toEqual({})
  await typeValues(fixture.user, { to: '2025-01-01 00:00' })
  expect(readProblems()['to']).toMatch(/^The end must be after the start/)
  await press('Today')

  await fixture.user.type(screen.getByRole('textbox', { name: 'Search the log' }), 'no such line')
  await screen.findByRole('heading', { name: 'No line in this time range contains this text' })
})

nightly('A log is downloaded through a link with a secret key, and an empty range is reported', async () => {
  const { id } = await createService('shop9')
  const downloadedFiles: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    downloadedFiles.push(new URL(this.href).pathname)
  })
  await fixture.browser.openAs('delete@m18', `/app/service/${id}`)
  await choose('More for the service shop9', 'Download log')
  const form = await dialog('Download the log of shop9')
  await form.findByLabelText('From')
  await typeValues(fixture.user, { from: '' })
  await form.press('Download')
  expect(readProblems()).toEqual({ from: 'Required' })
  await form.press('7 days')
  await form.press('Download')
  await noDialog()
  expect(downloadedFiles).toEqual([expect.stringMatching(/^\/public\/log\/[\w-]{22,}$/)])
  const file = await fixture.server.send({ url: downloadedFiles[0] ?? '' })
  expect(file.headers['content-disposition']).toContain('filename="shop9-log-')
  expect(file.body).toContain('task 1 started')

  await choose('More for the service shop9', 'Download log')
  const downloadDialog = await dialog('Download the log of shop9')
  await downloadDialog.findByLabelText('From')
  const day = new Date(fixture.server.clock.now - 9 * 86_400_000).toISOString().slice(0, 10)
  await typeValues(fixture.user, { from: `${day} 00:00`, to: `${day} 12:00` })
  await downloadDialog.press('Download')
  await findText('No logs output during this period')
  expect(downloadedFiles).toHaveLength(1)
  vi.restoreAllMocks()
})
