/** Tests the duties of the staff about refunds that came back, and about money that was sent back beyond its payment (decision 123). */
import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { insertCreditNote, insertRefund } from '#server/db/payments/refunds.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { createUserActions, setUpShopPages } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog } = createUserActions(fixture)
const findOptions = { timeout: 15_000 }

/** Stores a refund of 30.00 for an invoice that is paid. `fields` are those that make it unusual. */
const storeRefund = (fields: Partial<Parameters<typeof insertRefund>[1]>, code: string | null) =>
  runInTransaction(fixture.server.app, { role: 'portal_system' }, async (db) => {
    const invoice = await db
      .selectFrom('invoice as i')
      .innerJoin('payment as p', 'p.order_id', 'i.order_id')
      .select(['i.id', 'i.company_id', 'p.id as payment_id'])
      .orderBy('i.id')
      .executeTakeFirstOrThrow()
    const { company_id, payment_id } = invoice
    const time = fixture.server.clock.now
    const refundFields = {
      company_id,
      payment_id,
      invoice_id: null,
      amount: '30.00',
      currency: 'HKD',
      route: 'gateway',
    } as const
    const times = { create_time: time, update_time: time, end_time: time }
    const note = code === null ? {} : { invoice_id: invoice.id }
    const common = { ...refundFields, ...times, ...note, cause: 'gateway', reason: null, reference: 're_1' } as const
    const refundId = await insertRefund(db, { state: 'failed', ...common, ...fields })
    if (code === null) return
    const content = JSON.stringify({
      currency: 'HKD',
      amount: '30.00',
      issued: '2026-03-02 10:00:00',
      refund: { method: 'stripe', reference: 're_1' },
    })
    const invoice_id = invoice.id
    await insertCreditNote(db, { company_id, invoice_id, refund_id: refundId, code, content, create_time: time })
  })

it('Staff sees that a refund came back, and that its credit note stays valid', async () => {
  const fields = { state: 'done', cause: 'staff', reason: 'Goodwill', problem: 'lost_or_stolen_card' } as const
  await storeRefund(fields, 'CN202603000001')
  await fixture.browser.openAs('delete@m18', '/app/home')
  const [title] = await screen.findAllByText('The refund of HKD 30.00 came back', {}, findOptions)
  expect(title?.closest('.home-item')?.textContent).toContain('the card was lost or stolen')
  await press(/^Mark as seen/)
  const task = await dialog('Mark the refund of HKD 30.00 that came back as seen?')
  task.getByText(/^The credit note CN202603000001 stays valid/)
  await task.press('Mark as seen')
  await noDialog()
  await expect.poll(() => screen.queryByText('The refund of HKD 30.00 came back')).toBeNull()
})

it('Staff sees money that was sent back beyond its payment, and settles it without an invoice', async () => {
  await storeRefund({}, null)
  await fixture.browser.openAs('delete@m18', '/app/home')
  await screen.findAllByText('HKD 30.00 was sent back beyond the payment', {}, findOptions)
  await press(/^Mark as seen/)
  const task = await dialog('Mark the HKD 30.00 beyond the payment as seen?')
  task.getByText(/^No invoice has it/)
  await task.press('Mark as seen')
  await noDialog()
  await expect.poll(() => screen.queryByText('HKD 30.00 was sent back beyond the payment')).toBeNull()
})

it('Staff reads what to do about a refund without an invoice that came back', async () => {
  await storeRefund({ problem: 'a_new_code' }, null)
  await fixture.browser.openAs('delete@m18', '/app/home')
  const [title] = await screen.findAllByText('The refund of HKD 30.00 came back', {}, findOptions)
  expect(title?.closest('.home-item')?.textContent).toContain('a_new_code')
  await press(/^Mark as seen/)
  const task = await dialog('Mark the refund of HKD 30.00 that came back as seen?')
  task.getByText(
    /^No invoice has it, so there is no credit note.*If neither can be refunded any more, send a bank transfer first/,
  )
  await task.press('Mark as seen')
  await noDialog()
  await expect.poll(() => screen.queryByText('The refund of HKD 30.00 came back')).toBeNull()
})
