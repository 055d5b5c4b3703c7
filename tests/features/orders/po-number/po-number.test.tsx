/** Tests the field for a purchase order number in the payment dialog (decision 121). */
import { expect, it } from 'vitest'
import { screen } from '@testing-library/dom'
import { simulatedPaymentDriver } from '#server/drivers/payment/simulated.ts'
import { createUserActions, listOrders, setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { dialog, noDialog } = createUserActions(fixture)

it('The field is hidden until it is wanted, checks what is typed, and the number is on the invoice', async () => {
  const { app } = fixture.server
  app.payments = { ...app.payments, types: ['stripe'], findDriver: async () => simulatedPaymentDriver }
  const buyer = await fixture.server.signIn('admin@acme')
  const [order] = await listOrders(buyer, 'acmehr')
  await fixture.browser.openAs('admin@acme', `/app/contract/${order?.id}?pay=1`)
  const payment = await dialog('Pay acmehr')
  await payment.findByRole('button', { name: /by card$/ })
  expect(payment.queryByLabelText('PO number')).toBeNull()
  await payment.press('Add PO number')
  const field = await payment.findByLabelText('PO number')
  expect(document.activeElement).toBe(field)

  await fixture.user.type(field, 'x'.repeat(41))
  await expect
    .poll(() => payment.element.querySelector('.field-error')?.textContent)
    .toBe('A PO number has at most 40 characters. Shorten it.')
  expect(payment.getByRole('button', { name: /by card$/ }).getAttribute('aria-disabled')).toBe('true')
  await fixture.user.clear(field)
  await fixture.user.type(field, ' PO-2026-9 ')
  await payment.press(/by card$/)
  await screen.findByText('Payment received')
  await noDialog()
  const { company_id: companyId } = (await buyer.send({ url: '/api/m18s/user' })).json()
  const list = await buyer.send({ url: `/api/invoice?companyId=${companyId}&searchText=acmehr` })
  expect(list.json().data).toMatchObject([{ po_number: 'PO-2026-9', service_code: 'acmehr' }])
})
