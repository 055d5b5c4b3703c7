/** Tests credit and bank transfers in the payment dialog, and the credit balance above the invoices (decision 124). */
import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { simulatedPaymentDriver } from '#server/drivers/payment/simulated.ts'
import { payFor } from '#tests/support/orders/sandbox-server.ts'
import { getNamedField, typeValues } from '#tests/support/pages/fields.ts'
import { createUserActions, listOrders, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog } = createUserActions(fixture)
const findOptions = { timeout: 15_000 }

const account = {
  currency: 'USD',
  holder: 'M18 Ltd',
  bank: 'Bank of Hong Kong',
  account: '012-345',
  bic: 'BKHK',
  address: null,
} as const

/** Makes the card and bank transfers available. The card pays at once. */
function setUpMethods() {
  const { app } = fixture.server
  app.payments = {
    ...app.payments,
    types: ['stripe'],
    bankAccounts: [account],
    findDriver: async () => simulatedPaymentDriver,
  }
}

async function findOrder() {
  const session = await fixture.server.signIn('admin@acme')
  const [order] = await listOrders(session, 'acmehr')
  return { id: Number(order?.id), due: Number(order?.pay_amount), companyId: Number(order?.company_id) }
}

let transferCount = 0

/** Credits a bank transfer to Acme. */
async function addCredit(amount: number) {
  const { companyId } = await findOrder()
  const staff = await fixture.server.signIn('delete@m18')
  const send = async (url: string, payload: object) => {
    const response = await staff.send({ method: 'POST', url, payload })
    expect(response.statusCode).toBe(200)
    return response.json() as { id: number; row_version: number }
  }
  const bank_reference = `FT${++transferCount}`
  const values = { day: today(), currency: 'USD', amount: amount.toFixed(2), sender: 'Acme', reference: '' }
  const { id, row_version } = await send('/api/bank-transfers', { ...values, bank_reference })
  await send(`/api/bank-transfers/${id}/credit`, { company_id: companyId, items: [], row_version })
}

/** Begins a payment on the gateway's page, which is not finished there. It holds the credit. */
async function beginPayment(id: number, credit: string) {
  const { app } = fixture.server
  const { payments } = app
  const url = 'https://gateway.example/page'
  const start = async () => ({ kind: 'redirect', url, gatewayId: 'page-1' }) as const
  app.payments = { ...payments, findDriver: async () => ({ ...simulatedPaymentDriver, start }) }
  const session = await fixture.server.signIn('admin@acme')
  expect((await payFor(session, id, { credit })).json()).toEqual({ redirect: url })
  const close = async ({ key }: { key: string }) =>
    ({ key, gatewayId: 'page-1', status: 'closed', amount: 0n, currency: 'USD' }) as const
  app.payments = { ...payments, findDriver: async () => ({ ...simulatedPaymentDriver, close }) }
}

const format = (amount: number) => amount.toFixed(2).replace(/\B(?=(\d{3})+\.)/g, ',')

async function openPayment(id: number) {
  await fixture.browser.openAs('admin@acme', `/app/contract/${id}?pay=1`)
  return await dialog('Pay acmehr')
}

const readState = async () => {
  const session = await fixture.server.signIn('admin@acme')
  return (await listOrders(session, 'acmehr'))[0]?.state
}

it('Credit is used first: the dialog shows what is left, and the card pays only that', async () => {
  setUpMethods()
  const { id, due } = await findOrder()
  await addCredit(100)
  const payment = await openPayment(id)
  await payment.findByText('Left to pay', {}, findOptions)
  payment.getByText('USD −100.00')
  await payment.press(`Pay USD ${format(due - 100)} by card`)
  await screen.findByText('Payment received')
  await noDialog()
  expect(await readState()).toBe('effective')

  await fixture.browser.open('/app/invoice')
  await press('Show entries')
  const drawer = await dialog('Credit balance')
  await drawer.findByText('USD −100.00', {}, findOptions)
  drawer.getByText('USD +100.00')
})

it('Credit that covers everything is the only method, and pays without a gateway', async () => {
  setUpMethods()
  const { id, due } = await findOrder()
  await addCredit(due + 1)
  const payment = await openPayment(id)
  const button = await payment.findByRole('button', { name: `Pay USD ${format(due)} with credit` }, findOptions)
  expect(payment.queryByText('Other ways to pay')).toBeNull()
  await fixture.user.click(button)
  await screen.findByText('Paid with credit')
  await noDialog()
  expect(await readState()).toBe('effective')
})

it('If the credit has changed, nothing is charged, the new figures are shown, and typed text stays', async () => {
  setUpMethods()
  const { id, due } = await findOrder()
  await addCredit(100)
  const payment = await openPayment(id)
  await payment.press('Add PO number')
  await typeValues(fixture.user, { po_number: 'PO-1' })
  await addCredit(50)
  await payment.press(`Pay USD ${format(due - 100)} by card`)
  await payment.findByText('Your credit has changed', {}, findOptions)
  payment.getByText(/^You can use USD 150.00 of credit now. Nothing was charged./)
  expect(getNamedField('po_number').value).toBe('PO-1')
  await payment.press(`Pay USD ${format(due - 150)} by card`)
  await screen.findByText('Payment received')
  expect(await readState()).toBe('effective')
})

it('Credit that an unfinished payment of the same order holds is used by the next one', async () => {
  setUpMethods()
  const { id, due } = await findOrder()
  await addCredit(100)
  await beginPayment(id, '100.00')
  await addCredit(50)
  const payment = await openPayment(id)
  await payment.press('Add PO number')
  await typeValues(fixture.user, { po_number: 'PO-2' })
  await payment.press(`Pay USD ${format(due - 50)} by card`)
  await payment.findByText(/^You can use USD 150.00 of credit now. Nothing was charged./, {}, findOptions)
  payment.getByText('USD −150.00')
  expect(getNamedField('po_number').value).toBe('PO-2')
  await payment.press(`Pay USD ${format(due - 150)} by card`)
  await screen.findByText('Payment received')
  expect(await readState()).toBe('effective')
})

it('If credit that an unfinished payment holds covers everything, it is offered in place of a transfer', async () => {
  setUpMethods()
  const { id, due } = await findOrder()
  await addCredit(due - 10)
  await beginPayment(id, (due - 10).toFixed(2))
  await addCredit(10)
  const payment = await openPayment(id)
  await payment.press(`Pay USD ${format(due - 10)} by bank transfer`)
  await payment.findByText(
    'Your credit pays everything, so there is nothing to transfer. Pay with credit.',
    {},
    findOptions,
  )
  expect(payment.queryByRole('button', { name: /by bank transfer$/ })).toBeNull()
  await payment.press(`Pay USD ${format(due)} with credit`)
  await screen.findByText('Paid with credit')
  expect(await readState()).toBe('effective')
})

it('A bank transfer shows amount, reference and account, and the payer can return to the card', async () => {
  setUpMethods()
  const { id, due } = await findOrder()
  const payment = await openPayment(id)
  await payment.press(`Pay USD ${format(due)} by bank transfer`)
  await payment.findByText(/^PF\d{12}$/, {}, findOptions)
  payment.getByText('Bank of Hong Kong')
  payment.getByRole('button', { name: `Copy ${due.toFixed(2)}` })
  payment.getByRole('button', { name: 'Download PDF' })
  payment.getByText(/^It is paid when the whole amount has arrived/)
  await payment.press('Choose another payment method')
  await payment.findByRole('button', { name: /by card$/ })
  expect(await readState()).toBe('unpaid')
})

it('Without a gateway a bank transfer is the first method', async () => {
  setUpMethods()
  fixture.server.app.payments = { ...fixture.server.app.payments, types: [] }
  const { id, due } = await findOrder()
  const payment = await openPayment(id)
  await payment.press(`Pay USD ${format(due)} by bank transfer`)
  await payment.findByText('Bank of Hong Kong', {}, findOptions)
  await payment.press('Open PDF')
})
