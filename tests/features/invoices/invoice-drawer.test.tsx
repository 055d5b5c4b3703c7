/** Tests the drawer of an invoice and of a credit note: what it links to, requests and downloads (decision 121). */
import { screen } from '@testing-library/dom'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { InvoiceRow } from '#contract/invoices.ts'
import { waitForPath } from '#tests/support/pages/screen.ts'
import { createUserActions, setUpShopPages } from '#tests/support/pages/shop-pages.ts'
import { bypassPolicies } from '#tests/support/server/database.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const fixture = setUpShopPages()
const { press, dialog, findText, noDialog } = createUserActions(fixture)
afterEach(() => void vi.restoreAllMocks())

let staff: SignedIn
let invoice: InvoiceRow
const list = async (search: string): Promise<InvoiceRow[]> =>
  (await staff.send({ url: `/api/sinvoice?${search}` })).json().data
beforeEach(async () => {
  staff = await fixture.server.signIn('delete@m18')
  ;[invoice] = (await list('searchText=PO-4711')) as [InvoiceRow]
})

const refund = async (amount: string, { route }: { route: 'transfer' | 'credit' } = { route: 'transfer' }) => {
  const payload = {
    amount,
    refunded_before: '0.00',
    reason: 'Goodwill',
    route,
    ...(route === 'transfer' && { reference: 'FT-1', date: invoice.issued.slice(0, 10) }),
    confirmation: invoice.code,
  }
  const response = await staff.send({ method: 'POST', url: `/api/invoice/${invoice.id}/refund`, payload })
  expect(response.json()).toMatchObject({ state: 'done' })
  return (await list('kind=creditNote'))[0] as InvoiceRow
}
const collectDownloads = () => {
  const downloads: { name: string; blob: Blob }[] = []
  let lastBlob: Blob
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    lastBlob = blob as Blob
    return 'blob:download'
  })
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    downloads.push({ name: this.download, blob: lastBlob })
  })
  return downloads
}

it('A refund to the balance shows the credit as soon as the list is read again, also if there was none before', async () => {
  await fixture.browser.openAs('delete@m18', `/app/invoice?company=${invoice.company_id}`)
  await findText(invoice.code)
  expect(screen.queryByRole('region', { name: 'Credit balance' })).toBeNull()
  await refund('5.00', { route: 'credit' })
  await press('Refresh')
  const balance = await screen.findByRole('region', { name: 'Credit balance' })
  expect(balance.textContent).toContain('HKD 5.00')
})

it('A credit note names its invoice, which lists its credit notes', async () => {
  const creditNote = await refund('5.00')
  expect(creditNote).toMatchObject({ invoice_code: invoice.code, invoice_document_id: invoice.id })
  await fixture.browser.openAs('admin@acme', `/app/invoice?kind=creditNote&invoice=${creditNote.id}`)
  const drawer = await dialog(`Credit note ${creditNote.code}`)
  expect(drawer.element.textContent).toContain('HKD −5.00')
  expect(drawer.getByRole('button', { name: 'Open credit note' })).toBeDefined()
  await fixture.user.click(drawer.getByRole('link', { name: invoice.code }))
  // The list behind the drawer stays.
  await waitForPath(fixture.browser, `/app/invoice?kind=creditNote&invoice=${invoice.id}`)
  const invoiceDrawer = await dialog(`Invoice ${invoice.code}`)
  expect(invoiceDrawer.element.textContent).toContain('HKD 5.00')
  await fixture.user.click(invoiceDrawer.getByRole('link', { name: 'Credit notes' }))
  await waitForPath(fixture.browser, `/app/invoice?kind=creditNote&searchText=${invoice.code}`)
  await noDialog()
  await expect
    .poll(() => [...document.querySelectorAll('tbody .invoice-code')].map(({ textContent }) => textContent))
    .toEqual([creditNote.code])
})

it('An invoice that is not on the device is requested, and one that does not exist is named as such', async () => {
  // The list behind it has no rows.
  await fixture.browser.openAs('delete@m18', `/app/invoice?year=2001&invoice=${invoice.id}`)
  await dialog(`Invoice ${invoice.code}`)
  await fixture.browser.open('/app/invoice?year=2001&invoice=999999')
  await findText('This invoice does not exist')
  fixture.browser.goOffline()
  await fixture.browser.open('/app/invoice?year=2001&invoice=999998')
  await findText('This invoice is not saved on this device')
})

it('A PDF is saved when it has arrived, and a refusal is shown', async () => {
  const downloads = collectDownloads()
  await fixture.browser.openAs('admin@acme', `/app/invoice?invoice=${invoice.id}`)
  await dialog(`Invoice ${invoice.code}`)
  await press('Download PDF')
  await expect.poll(() => downloads.map(({ name }) => name), { timeout: 20_000 }).toEqual([`${invoice.code}.pdf`])
  expect((await downloads[0]?.blob.slice(0, 5).text()) ?? '').toBe('%PDF-')

  await bypassPolicies(fixture.server.app.database, (db) =>
    db
      .updateTable('invoice')
      .set({ content: '{}' } as never)
      .where('id', '=', invoice.invoice_id)
      .execute(),
  )
  await press('Download PDF')
  await screen.findByText(/^Download PDF failed\./)
  expect(downloads).toHaveLength(1)
})
