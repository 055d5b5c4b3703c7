/** Tests the state and the amounts of an invoice as users see them. */
import { expect, it } from 'vitest'
import '#features/invoices/translations.ts'
import { describeState, formatSignedAmount, isRefunding } from '#features/invoices/describe-invoice.ts'
import { i18n } from '#ui/i18n/messages.ts'

const t = i18n.getFixedT('en', 'invoices')

it('A refund in progress is the state of an invoice, but a dispute comes first', () => {
  expect(describeState({ state: 'paid', refunding: '0.00' }, t)).toEqual({ text: 'Paid', tone: 'positive' })
  expect(describeState({ state: 'paid', refunding: '500.00' }, t)).toEqual({ text: 'Refunding', tone: 'warning' })
  expect(describeState({ state: 'partlyRefunded', refunding: '500.00' }, t).text).toBe('Refunding')
  expect(describeState({ state: 'disputed', refunding: '500.00' }, t).text).toBe('Disputed')
  expect(isRefunding({ refunding: '0.01' })).toBe(true)
})

it('The amount of a credit note is negative', () => {
  const row = { currency: 'HKD', amount: '1234.50' } as const
  expect(formatSignedAmount({ ...row, kind: 'creditNote' })).toBe('HKD −1,234.50')
  expect(formatSignedAmount({ ...row, kind: 'invoice' })).toBe('HKD 1,234.50')
})
