/** Tests that lists are exported as files: the rows of the filter, from the device or from the server. */
import { screen } from '@testing-library/dom'
import { afterEach, expect, it, vi } from 'vitest'
import { placeOrder } from '#tests/support/orders/shop-data.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import { createUserActions, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog } = createUserActions(fixture)
afterEach(() => void vi.restoreAllMocks())

/** Opens the export and saves the file. Returns its name and its lines. */
async function saveExport(readText: (dialogText: string) => void = () => {}) {
  const blobs: Blob[] = []
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    blobs.push(blob as Blob)
    return 'blob:export'
  })
  const names: string[] = []
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    names.push(this.download)
  })
  await press('Export')
  const { element, press: pressInDialog } = await dialog('Export')
  await expect.poll(() => element.textContent).toMatch(/They are loaded from the server now|this device/i)
  readText(element.textContent ?? '')
  await pressInDialog(/^Save \d+ rows?$/)
  await expect.poll(() => blobs.length).toBe(1)
  await noDialog()
  const lines = ((await blobs[0]?.text()) ?? '').replace('\uFEFF', '').trimEnd().split('\r\n')
  return { name: names[0] ?? '', head: lines[0], rows: lines.slice(1) }
}

const countRows = () => document.querySelectorAll('tbody tr').length

it('Contracts of all companies are exported with the columns of the list, online and offline', async () => {
  await fixture.browser.openAs('delete@m18', '/app/contract')
  await expect.poll(countRows).toBe(5)
  const { name, head, rows } = await saveExport((text) => expect(text).toContain('Contracts: all rows'))
  expect(name).toMatch(/^contracts-\d{4}-\d\d-\d\d-\d{4}\.csv$/)
  expect(head).toBe('Service code,Name,Company,Created,Expiry date,Status,To pay')
  expect(rows).toHaveLength(5)
  expect(rows.every((row) => row.includes('Acme Trading Limited'))).toBe(true)
  fixture.browser.goOffline()
  const stored = await saveExport((text) => expect(text).toContain('on this device'))
  expect(stored.rows).toEqual(rows)
})

it('What is to pay is saved as incomplete if the device lacks some of it, in a file named after the company', async () => {
  const session = await fixture.server.signIn('admin@acme')
  await placeOrder(session, { code: 'first', name: 'First', period_start: today() })
  // The connection is lost after the first page, before the rest of the list arrives.
  const send = globalThis.fetch
  vi.stubGlobal('fetch', async (input: Request | string, init?: RequestInit) => {
    const url = new URL(input instanceof Request ? input.url : input, location.origin)
    if (url.searchParams.has('since')) throw new TypeError('Failed to fetch')
    const response = await send(input, init)
    if (!url.pathname.endsWith('/sorder') || url.searchParams.get('status') !== '0') return response
    const page = (await response.json()) as { count: number }
    return Response.json({ ...page, count: page.count + 50 }, { headers: response.headers })
  })
  await fixture.browser.openAs('admin@acme', '/app/contract?status=0')
  await screen.findByRole('link', { name: 'New contract: First' })
  const { name, rows } = await saveExport((text) => expect(text).toContain('This device has 3, updated'))
  expect(rows.some((row) => row.startsWith('New contract: First,'))).toBe(true)
  expect(name).toMatch(/^everything-to-pay-acme-\d{4}-\d\d-\d\d-\d{4}-\d+-incomplete\.csv$/)
})

it('Notes about a customer are exported newest first, without what is being typed', async () => {
  const staff = await fixture.server.signIn('delete@m18')
  const { data } = (await staff.send({ url: '/api/customer?searchText=acme' })).json()
  const url = `/api/customer/${data[0].id}/note`
  for (const text of ['Pays late', '=1+1 "twice"\nCall first'])
    await staff.send({ method: 'POST', url, payload: { text } })
  await fixture.browser.openAs('delete@m18', `/app/m18/customer/${data[0].id}/notes`)
  await fixture.user.type(await screen.findByLabelText('New note'), 'Not saved')
  await screen.findByText('Pays late')
  const { name, head, rows } = await saveExport((text) => expect(text).toContain('Notes: all rows'))
  expect(name).toMatch(/^notes-acme-\d{4}-\d\d-\d\d-\d{4}\.csv$/)
  expect(head).toBe('Written,Author,Edited,Text')
  expect(rows.map((row) => row.replace(/^[^,]+,[^,]+/, ''))).toEqual([`,,"'=1+1 ""twice""\nCall first"`, ',,Pays late'])
  expect((screen.getByLabelText('New note') as HTMLTextAreaElement).value).toBe('Not saved')
})

it('Sessions of the user are exported, in a file without a company', async () => {
  await fixture.server.signIn('admin@acme')
  await fixture.browser.openAs('admin@acme', '/app/profile/sessions')
  const { name, head, rows } = await saveExport((text) => expect(text).toContain('Sessions: all rows'))
  expect(name).toMatch(/^sessions-\d{4}-\d\d-\d\d-\d{4}\.csv$/)
  expect(head).toBe('Device,This session,Logged in,Last used,Network')
  expect(rows).toHaveLength(2)
  expect(rows.map((row) => row.split(',')[1])).toEqual(['Yes', 'No'])
})

nightly('Modules are exported with the filter and the order of the list', async () => {
  const readCodes = () => [...document.querySelectorAll('tbody .module-code')].map(({ textContent }) => textContent)
  await fixture.browser.openAs('delete@m18', '/app/m18/module?sortField=code&sortOrder=desc&searchText=h')
  await expect.poll(readCodes).toEqual(['scm', 'hr'])
  const { head, rows } = await saveExport((text) => expect(text).toContain('all rows that match the filters'))
  expect(head?.split(',').slice(0, 2)).toEqual(['Code', 'Name'])
  expect(rows.map((row) => row.split(',')[0])).toEqual(readCodes())
  await screen.findByText(/^Saved as modules-m18-/)
})
