/** Tests the bank transfers on the money page, with the server that records and credits them (decision 124). */
import { fireEvent, screen, within } from '@testing-library/dom'
import { expect, it, vi } from 'vitest'
import type { OrderRow } from '#contract/orders.ts'
import { requestJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { getNamedField, readDescription, readProblems, typeValues } from '#tests/support/pages/fields.ts'
import { createUserActions, listOrders, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'
import type { SignedIn } from '#tests/support/server/server.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog } = createUserActions(fixture)
const findOptions = { timeout: 15_000 }
const path = '/app/money?tab=transfers'

const transfer = { currency: 'USD', amount: '10.00', sender: 'Acme Limited', reference: '', bank_reference: 'FT1' }

async function recordTransfer(staff: SignedIn, values: Partial<typeof transfer> = {}) {
  const payload = { ...transfer, day: today(), ...values }
  const response = await staff.send({ method: 'POST', url: '/api/bank-transfers', payload })
  expect([response.statusCode, response.body]).toEqual([200, expect.anything()])
}

async function readUnpaidOrder(): Promise<OrderRow> {
  const session = await fixture.server.signIn('admin@acme')
  const [order] = await listOrders(session, 'acmehr')
  if (!order) throw new Error('the demo has no unpaid order')
  return order as unknown as OrderRow
}

const findRow = async (text: string | RegExp) => {
  const cell = (await screen.findAllByText(text, {}, findOptions))[0]
  return within(cell?.closest('tr') ?? document.body)
}

const pressSend = async (element: HTMLElement) => {
  const button = element.querySelector<HTMLElement>('.p-dialog-footer button')
  if (!button) throw new Error('the dialog has no action')
  await fixture.user.click(button)
  return button
}

it('A recorded transfer is in the list. Faults are shown at their fields, and what was typed stays', async () => {
  await fixture.browser.openAs('delete@m18', path)
  await screen.findByText('No open transfers', {}, findOptions)
  await press('Record transfer')
  const form = await dialog('Record a bank transfer')
  await typeValues(fixture.user, { amount: '120,50', reference: 'INV 7' })
  await pressSend(form.element)
  expect(readProblems()).toEqual({
    day: 'Enter the date as YYYY-MM-DD. It cannot be in the future.',
    amount: 'Enter an amount such as 120.50 or 1,200.50. A comma only separates thousands.',
    sender: 'Enter who sent the money, with at most 200 characters.',
    bank_reference: "Enter the bank's number of the transfer, with at most 100 characters.",
  })
  expect(document.activeElement).toBe(getNamedField('day'))
  await typeValues(fixture.user, { day: today(), amount: '1,120.50', sender: '环球贸易', bank_reference: 'FT77' })
  await form.press('Record HKD 1,120.50')
  await noDialog()
  const row = await findRow('环球贸易')
  expect(row.getAllByText('HKD 1,120.50').length).toBeGreaterThan(0)

  await press('Record transfer')
  const again = await dialog('Record a bank transfer')
  await typeValues(fixture.user, { day: today(), amount: '1120.50', sender: 'Other', bank_reference: 'FT77' })
  await again.press('Record HKD 1,120.50')
  await expect
    .poll(readProblems)
    .toEqual({ bank_reference: 'A transfer with this bank reference was already recorded.' })
  await fixture.user.keyboard('{Escape}')
  await again.findByText('Your changes are not saved yet.')
  await again.press('Keep editing')
  expect([getNamedField('sender').value, getNamedField('amount').value]).toEqual(['Other', '1120.50'])
  await fixture.user.keyboard('{Escape}')
  await again.press('Discard changes')
  await noDialog()
})

it('A transfer that names a service pays it: the proposal is selected, and the sum shows the effect', async () => {
  const order = await readUnpaidOrder()
  const due = Number(order.pay_amount)
  const staff = await fixture.server.signIn('delete@m18')
  await recordTransfer(staff, { amount: (due + 5).toFixed(2), reference: 'acmehr' })
  await fixture.browser.openAs('delete@m18', path)
  await fixture.user.click(await (await findRow('Acme Limited')).findByRole('button', { name: /^Credit…/ }))
  const form = await dialog(/^Credit USD/)
  await form.findByText('The selected items are paid, and USD 5.00 stays credit.', {}, findOptions)
  form.getByText('Proposed, because the reference names an unpaid service.')
  await form.press(/and pay 1 item$/)
  await noDialog()
  const row = await findRow('Credited')
  row.getByRole('link', { name: /^Acme/ })
  const session = await fixture.server.signIn('admin@acme')
  expect((await listOrders(session, 'acmehr'))[0]?.state).toBe('effective')
})

it('If the unpaid items could not be loaded, they can be requested again', async () => {
  const staff = await fixture.server.signIn('delete@m18')
  await recordTransfer(staff, { reference: 'acmehr' })
  const send = fetch
  let isFailing = true
  vi.stubGlobal('fetch', async (input: Request | string, init?: RequestInit) => {
    const url = typeof input === 'string' ? input : input.url
    return isFailing && url.includes('/payable') ? new Response('', { status: 500 }) : await send(input, init)
  })
  await fixture.browser.openAs('delete@m18', path)
  await fixture.user.click(await (await findRow('Acme Limited')).findByRole('button', { name: /^Credit…/ }))
  const form = await dialog('Credit USD 10.00')
  const retry = await form.findByRole('button', { name: 'Try again' }, findOptions)
  isFailing = false
  await fixture.user.click(retry)
  await form.findByRole('checkbox', { name: /New contract: acmehr/ }, findOptions)
  expect(form.queryByRole('button', { name: 'Try again' })).toBeNull()
  vi.stubGlobal('fetch', send)
})

it('The check of all money can be run on the page, and not without a connection', async () => {
  await fixture.browser.openAs('delete@m18', '/app/money')
  await screen.findByText('The first check has not run yet.', {}, findOptions)
  await press('Check now')
  await expect.poll(() => runOneJob(fixture.server.app, requestJobKinds), findOptions).toBe(true)
  await screen.findByText('All money was checked: no faults.', {}, findOptions)
  await screen.findByText('No faults', {}, findOptions)
  fixture.browser.goOffline()
  const button = await screen.findByRole('button', { name: 'Check now' })
  await expect.poll(() => readDescription(button)).toContain('This needs a connection.')
})

it('An amount that does not reach cannot be sent, until the items are cleared. Then it becomes credit', async () => {
  const staff = await fixture.server.signIn('delete@m18')
  await recordTransfer(staff, { sender: 'Unknown sender' })
  await fixture.browser.openAs('delete@m18', path)
  await fixture.user.click(await (await findRow('Unknown sender')).findByRole('button', { name: /^Credit…/ }))
  const form = await dialog('Credit USD 10.00')
  await pressSend(form.element)
  form.getByText('Choose the customer that sent the money.')
  await fixture.user.click(getNamedField('company'))
  await fixture.user.click(await screen.findByRole('option', { name: /acme/i }))
  const box = await form.findByRole('checkbox', { name: /New contract: acmehr/ }, findOptions)
  await form.findByText('All of it, USD 10.00, becomes credit. The customer can pay with it at any time.')
  await fixture.user.click(box)
  form.getByText(/is missing for the selected items/)
  const button = await pressSend(form.element)
  expect(readDescription(button)).toContain('The money does not reach for the selected items.')
  await fixture.user.click(box)
  await form.press('Credit USD 10.00')
  await noDialog()
  const row = await findRow('Credited')
  await fixture.user.click(row.getByRole('button', { name: /^Correct…/ }))
  const correction = await dialog(/^Take USD 10.00 back from Acme/)
  await typeValues(fixture.user, { note: 'Wrong company' })
  await correction.press('Take back USD 10.00')
  await noDialog()
  await findRow('Corrected')
  await expect
    .poll(() => document.querySelectorAll('[aria-labelledby=open-transfers] tbody tr').length, findOptions)
    .toBe(1)
})

it('A returned transfer needs the reference of the return, and one that is no payment only a note', async () => {
  const staff = await fixture.server.signIn('delete@m18')
  await recordTransfer(staff, { sender: 'Wrong payer' })
  await recordTransfer(staff, { sender: 'Our bank', bank_reference: 'FT2' })
  await fixture.browser.openAs('delete@m18', path)
  await findRow('Wrong payer')
  await press(/^More for Wrong payer/)
  await fixture.user.click(await screen.findByRole('menuitem', { name: 'Returned…' }))
  const form = await dialog('Was USD 10.00 returned?')
  await typeValues(fixture.user, { note: 'Sent by mistake' })
  await form.press('Record as returned')
  expect(Object.keys(readProblems())).toEqual(['return_reference', 'return_date'])
  await typeValues(fixture.user, { return_reference: 'R1', return_date: today() })
  await form.press('Record as returned')
  await noDialog()
  const returned = await findRow('Returned')
  returned.getByText(`Returned ${today()}, R1 · Sent by mistake`)

  await press(/^More for Our bank/)
  await fixture.user.click(await screen.findByRole('menuitem', { name: 'Not a payment…' }))
  const other = await dialog('Is USD 10.00 not a payment?')
  await typeValues(fixture.user, { note: 'Interest' })
  await other.press('Not a payment')
  await noDialog()
  await findRow('Interest')
  await screen.findByText('No open transfers', {}, findOptions)
})

it('A statement is imported once. Its fault is shown with line and column, and the next file can be chosen', async () => {
  await fixture.browser.openAs('delete@m18', path)
  await screen.findByText('No open transfers', {}, findOptions)
  await press('Import statement')
  const form = await dialog('Import a bank statement')
  const day = today()
  const choose = (content: string) =>
    fixture.user.upload(getNamedField('statement'), new File([content], 'march.csv', { type: 'text/csv' }))
  await choose(`Date,Amount,Currency,Name,Reference\n${day},12.x,HKD,Acme,one\n`)
  await form.findByText('march.csv')
  await form.press('Import')
  await form.findByText('Line 2 has no valid amount with at most two decimals in the column “Amount”.')

  await choose('PK\u0003\u0000a spreadsheet')
  await form.press('Import')
  await form.findByText(/^It is neither camt\.053 \(XML\) nor CSV with a head line\./)

  const statement = `Date,Amount,Currency,Name,Reference\n${day},12.30,HKD,Acme,one\n${day},-4.00,HKD,Bank,fee\n`
  await choose(statement)
  await form.press('Import')
  await form.findByText('1 transfer was added.')
  form.getByText('1 entry was skipped, because it is not received money in a supported currency.')
  await choose(statement)
  await form.press('Import')
  await form.findByText('1 transfer was already known.')
  await pressSend(form.element)
  await noDialog()
  expect((await findRow('Acme')).getAllByText('HKD 12.30').length).toBeGreaterThan(0)
})

it('A file that is dropped and too large is refused before it is sent', async () => {
  await fixture.browser.openAs('delete@m18', path)
  await press('Import statement')
  const form = await dialog('Import a bank statement')
  const file = new File(['x'.repeat(2_000_001)], 'year.csv')
  fireEvent.drop(form.getByRole('region', { name: 'Statement file' }), { dataTransfer: { files: [file] } })
  await form.findByText('The file has more than 2,000,000 characters. Export a shorter period.')
  expect(readDescription(await pressSend(form.element))).toContain('This file cannot be imported. Choose another one.')
})

it('The home page names open transfers, and leads to them', async () => {
  const staff = await fixture.server.signIn('delete@m18')
  await recordTransfer(staff)
  await recordTransfer(staff, { bank_reference: 'FT2' })
  await fixture.browser.openAs('delete@m18', '/app/home')
  await screen.findAllByText('2 bank transfers are not matched', {}, findOptions)
  await fixture.user.click((await screen.findAllByRole('link', { name: /^Show the transfers/ }))[0] ?? document.body)
  await expect.poll(() => fixture.browser.path()).toBe(path)
})

it('Without a connection the stored transfers can be read, and each button has a reason why it is disabled', async () => {
  const staff = await fixture.server.signIn('delete@m18')
  await recordTransfer(staff, { sender: 'Stored sender' })
  await fixture.browser.openAs('delete@m18', path)
  await findRow('Stored sender')
  fixture.browser.goOffline()
  for (const name of ['Record transfer', 'Import statement', /^Credit…/]) {
    const button = await screen.findByRole('button', { name })
    await expect.poll(() => readDescription(button)).toContain('This needs a connection.')
  }
})
