/** Tests the payment over the current page, and the addresses of the payment and the extension of a contract. */
import { screen, within } from '@testing-library/dom'
import { expect, it, vi } from 'vitest'
import { simulatedPaymentDriver } from '#server/drivers/payment/simulated.ts'
import { buyOrder, readOrder } from '#tests/support/orders/shop-data.ts'
import { createUserActions, listOrders, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog } = createUserActions(fixture)

/** Makes one method available, which pays at once. */
function setUpCardOnly() {
  fixture.server.app.payments = {
    ...fixture.server.app.payments,
    types: ['stripe'],
    findDriver: async () => simulatedPaymentDriver,
  }
}

async function findOrderId(code: string): Promise<number> {
  const session = await fixture.server.signIn('admin@acme')
  return Number((await listOrders(session, code))[0]?.id)
}

const readFooter = (element: HTMLElement) =>
  [...element.querySelectorAll('.p-dialog-footer button')].map(({ textContent }) => textContent)

it('A due is paid from the home page in two clicks, without leaving the page', async () => {
  setUpCardOnly()
  const id = await findOrderId('acmehr')
  await fixture.browser.openAs('admin@acme', '/app/home')
  await press(/^Pay New contract: Acme/)
  const payment = await dialog('Pay acmehr')
  await expect
    .poll(() => readFooter(payment.element))
    .toEqual([expect.stringMatching(/^Pay USD [\d,.]+ by card$/), 'Cancel'])
  await payment.press(/by card$/)
  await screen.findByText('Payment received')
  await noDialog()
  expect(fixture.browser.path()).toBe('/app/home')
  const session = await fixture.server.signIn('admin@acme')
  expect((await readOrder(session, id)).state).toBe('effective')
  await expect.poll(() => screen.queryByRole('button', { name: /^Pay New contract: Acme/ })).toBeNull()
})

it('The address ?pay=1 opens the payment; Cancel removes it and Back closes it', async () => {
  setUpCardOnly()
  const id = await findOrderId('acmehr')
  await fixture.browser.openAs('admin@acme', `/app/contract/${id}?pay=1`)
  await (await dialog('Pay acmehr')).press('Cancel')
  await noDialog()
  expect(fixture.browser.path()).toBe(`/app/contract/${id}`)

  await press(/^Pay USD [\d,.]+$/)
  await dialog('Pay acmehr')
  expect(fixture.browser.path()).toBe(`/app/contract/${id}?pay=CONTRACT-${id}`)
  history.back()
  await noDialog()
  expect(fixture.browser.path()).toBe(`/app/contract/${id}`)

  await press(/^Pay USD [\d,.]+$/)
  await (await dialog('Pay acmehr')).press(/by card$/)
  await screen.findByText('Payment received')
  await noDialog()
  await expect.poll(() => fixture.browser.path()).toBe(`/app/contract/${id}`)
})

it('The late result of a closed payment is reported, and leaves the present page alone', async () => {
  setUpCardOnly()
  const { promise: gatewayAnswer, resolve: answer } = Promise.withResolvers<void>()
  const driver: typeof simulatedPaymentDriver = {
    ...simulatedPaymentDriver,
    start: async (payment) => {
      await gatewayAnswer
      return await simulatedPaymentDriver.start(payment)
    },
  }
  fixture.server.app.payments = { ...fixture.server.app.payments, findDriver: async () => driver }
  const id = await findOrderId('acmehr')
  await fixture.browser.openAs('admin@acme', `/app/contract/${id}`)
  await press(/^Pay USD [\d,.]+$/)
  const payment = await dialog('Pay acmehr')
  await payment.press(/by card$/)
  // A payment that is being sent can be left, but not cancelled.
  await expect.poll(() => readFooter(payment.element).at(-1)).toBe('Close')
  await fixture.user.click(
    within(payment.element.querySelector<HTMLElement>('.p-dialog-footer') ?? document.body).getByRole('button', {
      name: 'Close',
    }),
  )
  await noDialog()
  await fixture.user.click((await screen.findAllByRole('link', { name: 'Contracts' }))[0] ?? document.body)
  await expect.poll(() => fixture.browser.path()).toBe('/app/contract')
  const step = vi.spyOn(history, 'go')
  answer()
  await screen.findByText('Payment received')
  expect(step).not.toHaveBeenCalled()
  step.mockRestore()
  expect(fixture.browser.path()).toBe('/app/contract')
})

it('An address that cannot open its dialog says why', async () => {
  const [effectiveId, unpaidId] = [await findOrderId('acmetrade'), await findOrderId('acmehr')]
  await fixture.browser.openAs('admin@acme', `/app/contract/${effectiveId}?pay=1`)
  const notice = (await screen.findByText('There is nothing to pay for this contract at the moment.')).closest('div')
  expect(document.querySelector('[role=dialog]')).toBeNull()
  await fixture.user.click(within(notice?.parentElement ?? document.body).getByRole('button', { name: 'Close' }))
  await expect.poll(() => fixture.browser.path()).toBe(`/app/contract/${effectiveId}`)

  await fixture.browser.open(`/app/contract/${unpaidId}?extend=1`)
  await screen.findByText('This cannot be extended: Pay for this first.')
  expect(document.querySelector('[role=dialog]')).toBeNull()
})

it('The address ?extend=1 opens the extension, whose order is paid in the same place', async () => {
  setUpCardOnly()
  const session = await fixture.server.signIn('admin@acme')
  const { id, contract_id: contractId } = await buyOrder(fixture.server, session, {
    code: 'longer',
    name: 'Longer',
    period_start: today(),
  })
  expect(contractId).toBeGreaterThan(0)
  await fixture.browser.openAs('admin@acme', `/app/contract/${id}?extend=1`)
  await (await dialog('Extend longer')).press(/^Order extension/)
  await dialog('Pay longer')
  expect(fixture.browser.path()).toMatch(new RegExp(`^/app/contract/${id}\\?pay=CONTRACT-\\d+$`))
  await (await dialog('Pay longer')).press('Cancel')
  await noDialog()
  expect(fixture.browser.path()).toBe(`/app/contract/${id}`)
})
