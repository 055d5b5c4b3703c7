/** Tests the money page after a refusal, and after an import whose response was lost: it then displays what the server has. */
import { fireEvent, screen, within } from '@testing-library/dom'
import { beforeEach, expect, it, vi } from 'vitest'
import type { BankTransferRow } from '#contract/staff/bank-transfers.ts'
import { getNamedField, typeValues } from '#tests/support/pages/fields.ts'
import { createUserActions, listOrders, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog } = createUserActions(fixture)
const findOptions = { timeout: 15_000 }
const path = '/app/money?tab=transfers'

let staff: SignedIn
let companyId: number
beforeEach(async () => {
  const [order] = await listOrders(await fixture.server.signIn('admin@acme'), 'acmehr')
  companyId = Number(order?.company_id)
  staff = await fixture.server.signIn('delete@m18')
})

async function post<T>(url: string, payload: object): Promise<T> {
  const response = await staff.send({ method: 'POST', url, payload })
  expect([response.statusCode, response.body]).toEqual([200, expect.anything()])
  return response.json()
}
const recordTransfer = () =>
  post<BankTransferRow>('/api/bank-transfers', {
    currency: 'USD',
    amount: '10.00',
    sender: 'Some sender',
    reference: '',
    bank_reference: 'FT1',
    day: today(),
  })
const dismiss = ({ id, row_version }: BankTransferRow) =>
  post(`/api/bank-transfers/${id}/close`, { state: 'dismissed', note: 'Interest', row_version })
const credit = ({ id, row_version }: BankTransferRow) =>
  post<BankTransferRow>(`/api/bank-transfers/${id}/credit`, {
    company_id: companyId,
    items: [],
    row_version,
  })
const findRow = async (text: string) => {
  const [cell] = await screen.findAllByText(text, {}, findOptions)
  return within(cell?.closest('tr') ?? document.body)
}
const rowCount = (section: string) => document.querySelectorAll(`[aria-labelledby=${section}] tbody tr`).length

it('A transfer that somebody else has ended is refused, and closing the dialog reads the list again', async () => {
  const transfer = await recordTransfer()
  await fixture.browser.openAs('delete@m18', path)
  await fixture.user.click(await (await findRow('Some sender')).findByRole('button', { name: /^Credit…/ }))
  const form = await dialog('Credit USD 10.00')
  await dismiss(transfer)
  await fixture.user.click(getNamedField('company'))
  await fixture.user.click(await screen.findByRole('option', { name: /acme/i }))
  await form.findByRole('checkbox', { name: /New contract: acmehr/ }, findOptions)
  await form.press('Credit USD 10.00')
  await form.findByText(/Close this and open it again\.$/)
  expect(rowCount('settled-transfers')).toBe(0)
  await fixture.user.keyboard('{Escape}')
  await noDialog()
  await screen.findByText('No open transfers', {}, findOptions)
  await findRow('Interest')
})

it('After a refused correction, discarding what was typed reads the list again', async () => {
  const credited = await credit(await recordTransfer())
  await fixture.browser.openAs('delete@m18', path)
  await fixture.user.click(await (await findRow('Credited')).findByRole('button', { name: /^Correct…/ }))
  const form = await dialog(/^Take USD 10.00 back from/)
  await post(`/api/bank-transfers/${credited.id}/correct`, { note: 'Other', row_version: credited.row_version })
  await typeValues(fixture.user, { note: 'Wrong company' })
  await form.press('Take back USD 10.00')
  await form.findByRole('alert')
  await fixture.user.keyboard('{Escape}')
  await form.press('Discard changes')
  await noDialog()
  await findRow('Corrected')
})

it('After a refused withdrawal, closing the dialog reads the credit again', async () => {
  await credit(await recordTransfer())
  await fixture.browser.openAs('delete@m18', '/app/money')
  await fixture.user.click(await screen.findByRole('button', { name: /^Withdraw…/ }, findOptions))
  const form = await dialog(/^Send credit back to/)
  const { company_code: code } = (await staff.send({ url: '/api/money' })).json().credit[0]
  const values = { reference: 'R1', date: today(), reason: 'Asked for it' }
  await post('/api/credit/withdraw', {
    ...values,
    company_id: companyId,
    currency: 'USD',
    amount: '4.00',
    balance_before: '10.00',
    confirmation: code,
  })
  await typeValues(fixture.user, { ...values, reference: 'R2', confirmation: code })
  await form.press('Withdraw USD 10.00')
  await form.findByText('The credit has changed in the meantime.', { exact: false })
  await fixture.user.keyboard('{Escape}')
  await form.press('Discard changes')
  await noDialog()
  expect((await screen.findAllByText('USD 6.00', {}, findOptions)).length).toBeGreaterThan(0)
})

it('Returning to the page reads it again', async () => {
  await fixture.browser.openAs('delete@m18', path)
  await screen.findByText('No open transfers', {}, findOptions)
  await recordTransfer()
  fireEvent(document, new Event('visibilitychange'))
  await findRow('Some sender')
})

it('During an import no other file can be chosen. If its response is lost, the list shows what was imported', async () => {
  const { promise: answer, resolve: releaseAnswer } = Promise.withResolvers<void>()
  let isLost = true
  const send = fetch
  vi.stubGlobal('fetch', async (input: Request | string, init?: RequestInit) => {
    const url = input instanceof Request ? input.url : input
    const response = await send(input, init)
    if (!isLost || !url.endsWith('/api/bank-transfers/import')) return response
    await answer
    return new Response('', { status: 502 })
  })
  await fixture.browser.openAs('delete@m18', path)
  await screen.findByText('No open transfers', {}, findOptions)
  await press('Import statement')
  const form = await dialog('Import a bank statement')
  const content = `Date,Amount,Currency,Name,Reference\n${today()},12.30,HKD,Acme,one\n`
  await fixture.user.upload(getNamedField('statement'), new File([content], 'march.csv', { type: 'text/csv' }))
  await form.findByText('march.csv')
  await form.press('Import')
  await expect.poll(() => getNamedField('statement').disabled).toBe(true)
  fireEvent.drop(form.getByRole('region', { name: 'Statement file' }), {
    dataTransfer: { files: [new File([content], 'other.csv')] },
  })
  releaseAnswer()
  await form.findByText('It is unknown whether the statement was imported. Import it again: nothing is added twice.')
  expect([form.queryByText('other.csv'), getNamedField('statement').disabled]).toEqual([null, false])
  await expect.poll(() => rowCount('open-transfers'), findOptions).toBe(1)
  isLost = false
  await form.press('Import')
  await form.findByText('1 transfer was already known.')
  vi.stubGlobal('fetch', send)
})
