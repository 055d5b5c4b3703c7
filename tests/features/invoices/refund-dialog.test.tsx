/** Tests the refund of an invoice, and the duties about refunds, on the pages of the provider's admins (decision 123). */
import { screen } from '@testing-library/dom'
import { expect, it } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { getNamedField, readProblems, typeValues } from '#tests/support/pages/fields.ts'
import { createUserActions, setUpShopPages, today } from '#tests/support/pages/shop-pages.ts'

const fixture = setUpShopPages()
const { press, dialog, noDialog } = createUserActions(fixture)
const findOptions = { timeout: 15_000 }

type Work<T> = Parameters<typeof runInTransaction<T>>[2]
const runAsSystem = <T,>(work: Work<T>) => runInTransaction(fixture.server.app, { role: 'portal_system' }, work)

const getInvoice = () =>
  runAsSystem((db) =>
    db
      .selectFrom('document')
      .innerJoin('payment', (join) =>
        join.onRef('payment.gateway', '=', 'document.method').onRef('payment.reference', '=', 'document.reference'),
      )
      .select([
        'document.id',
        'document.code',
        'document.invoice_id',
        'document.company_id',
        'payment.id as payment_id',
      ])
      .where('document.po_number', '=', 'PO-4711')
      .executeTakeFirstOrThrow(),
  )

it('Staff record a transfer, and read of another refund in the meantime', async () => {
  const { id, code } = await getInvoice()
  const staff = await fixture.server.signIn('delete@m18')
  await fixture.browser.openAs('delete@m18', `/app/invoice?invoice=${id}`)
  await dialog(`Invoice ${code}`)
  await press('Refund…')
  const refundDialog = await dialog(`Refund invoice ${code}`)
  await fixture.user.click(refundDialog.getByRole('radio', { name: /By bank transfer/ }))
  const transfer = { reason: 'Goodwill', reference: 'FT1', date: today(), confirmation: code }
  await typeValues(fixture.user, { ...transfer, amount: '120,50' })
  await refundDialog.press(/^Refund/)
  expect(readProblems()).toEqual({
    amount: 'Enter an amount above zero, such as 120.50 or 1,200.50. A comma only separates thousands.',
  })

  const payload = { ...transfer, amount: '5.00', refunded_before: '0.00', route: 'transfer' }
  const other = await staff.send({ method: 'POST', url: `/api/invoice/${id}/refund`, payload })
  expect(other.statusCode).toBe(200)
  await typeValues(fixture.user, { amount: '120.50' })
  await refundDialog.press('Refund HKD 120.50')
  await refundDialog.findByText(/^Another refund of this invoice was made in the meantime/, {}, findOptions)
  expect(getNamedField('reason').value).toBe('Goodwill')

  await refundDialog.press('Refund HKD 120.50')
  await expect
    .poll(readProblems)
    .toEqual({ reference: 'A transfer with this reference was already recorded for this invoice.' })
  await typeValues(fixture.user, { reference: 'FT2' })
  await refundDialog.press('Refund HKD 120.50')
  const drawer = await dialog(`Invoice ${code}`)
  await expect.poll(() => drawer.element.textContent).toContain('RefundedHKD 125.50')
  const refunds = await runAsSystem((db) => db.selectFrom('refund').select('amount').orderBy('id').execute())
  expect(refunds.map(({ amount }) => amount)).toEqual(['5.00', '120.50'])
})

it('Refused refunds stay on the home page until the staff have seen them, with a link to the invoice', async () => {
  const { id, company_id, invoice_id, payment_id } = await getInvoice()
  const now = fixture.server.clock.now
  const times = { create_time: now, update_time: now, end_time: now }
  const fields = { company_id, payment_id, currency: 'HKD', route: 'gateway', ...times } as const
  await runAsSystem((db) =>
    db
      .insertInto('refund')
      .values([
        {
          ...fields,
          invoice_id,
          amount: '7.00',
          cause: 'staff',
          reason: 'Dispute lost',
          state: 'failed',
          refund_key: 'key1',
          problem: 'card closed',
        },
        {
          ...fields,
          invoice_id: null,
          amount: '8.00',
          cause: 'dispute',
          reason: null,
          state: 'done',
          reference: 'x1',
        },
      ])
      .execute(),
  )
  await fixture.browser.openAs('delete@m18', '/app/home')
  await screen.findAllByText('The refund of HKD 7.00 was refused', {}, findOptions)
  screen.getAllByText('HKD 8.00 was lost in a dispute')
  screen.getByText(/card closed$/)
  expect(screen.getByRole('link', { name: /^See the invoice(?!s)/ }).getAttribute('href')).toMatch(
    new RegExp(`/app/invoice\\?invoice=${id}$`),
  )
  await press(/^Mark as seen.*HKD 7\.00/)
  const settleDialog = await dialog('Mark the refused refund of HKD 7.00 as seen?')
  settleDialog.getByText(/^Nothing was sent back/)
  await settleDialog.press('Mark as seen')
  await noDialog()
  await expect.poll(() => screen.queryAllByText('The refund of HKD 7.00 was refused')).toEqual([])
  screen.getAllByText('HKD 8.00 was lost in a dispute')
})

/** Stores a refund that the gateway has not accepted, as the payment job does. Returns its id. */
async function addStuckRefund(amount: string, problem: string): Promise<number> {
  const { id: document_id, company_id, invoice_id, payment_id } = await getInvoice()
  const now = fixture.server.clock.now
  return await runAsSystem(async (db) => {
    await db
      .updateTable('document')
      .set(({ eb }) => ({ refunding: eb('refunding', '+', amount) }))
      .where('id', '=', document_id)
      .execute()
    const { id } = await db
      .insertInto('refund')
      .values({
        company_id,
        payment_id,
        invoice_id,
        currency: 'HKD',
        amount,
        route: 'gateway',
        cause: 'staff',
        reason: 'Goodwill',
        state: 'requested',
        refund_key: `key ${amount}`,
        next_look: now,
        problem,
        create_time: now,
        update_time: now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return id
  })
}

it('Staff withdraw a refund that the gateway does not accept on the home page', async () => {
  const id = await addStuckRefund('9.00', 'the key is wrong')
  await fixture.browser.openAs('delete@m18', '/app/home')
  await screen.findAllByText('HKD 9.00 is being refunded', {}, findOptions)
  screen.getByText(/Not accepted by .* yet: the key is wrong. The portal tries again.$/)
  await press(/^Withdraw/)
  const withdrawal = await dialog(/^Withdraw the refund of HKD 9.00/)
  withdrawal.getByText('The payment provider refuses this refund: the key is wrong.')
  await withdrawal.press('Withdraw')
  await noDialog()
  await screen.findByText(/Withdrawn. It ends when .* confirms that it has no such refund.$/, {}, findOptions)
  expect(screen.queryByRole('button', { name: /^Withdraw/ })).toBeNull()
  const refund = await runAsSystem((db) =>
    db.selectFrom('refund').select('seen_time').where('id', '=', id).executeTakeFirstOrThrow(),
  )
  expect(refund.seen_time).toBe(fixture.server.clock.now)
})

it('In the drawer, staff read that somebody else has withdrawn the refund', async () => {
  const { id: documentId, code } = await getInvoice()
  const id = await addStuckRefund('9.00', 'the key is wrong')
  await fixture.browser.openAs('delete@m18', `/app/invoice?invoice=${documentId}`)
  const drawer = await dialog(`Invoice ${code}`)
  await drawer.findByText(/^Not accepted by .* yet: the key is wrong. The portal tries again.$/, {}, findOptions)
  await drawer.press('Withdraw')
  const withdrawal = await dialog(/^Withdraw the refund of HKD 9.00/)
  const staff = await fixture.server.signIn('delete@m18')
  const other = await staff.send({ method: 'POST', url: `/api/payment/refunds/${id}/withdraw`, payload: {} })
  expect(other.statusCode).toBe(200)
  await withdrawal.press('Withdraw')
  const note = await withdrawal.findByRole('alert', {}, findOptions)
  expect(note.textContent).toContain('or somebody has withdrawn it. Close this to see how it stands.')
  await withdrawal.press('Cancel')
  await drawer.findByText(/^Withdrawn. It ends when/, {}, findOptions)
  expect(drawer.queryByRole('button', { name: 'Withdraw' })).toBeNull()
})
