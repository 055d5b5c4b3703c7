import { expect, test } from 'vitest'
import { getDiscardedAmount } from '#domain/fees/discarded-amount.ts'
import { explainUndo } from '#domain/fees/explain-undo.ts'
import type { FeeStep } from '#domain/fees/explain.ts'
import { type UndoableOrder, getUndoDeadline, getUndoRefusal } from '#domain/undo-change.ts'

const change: UndoableOrder = {
  type: 'change',
  stored: 'paid',
  due: '2026-11-21 23:59:59',
  period_end: '2028-03-01',
  ordered_on: '2026-11-28',
  contract_amount: '10000.00',
  residual_amount: '53643.84',
  restores_id: null,
  pending: null,
}

test('getDiscardedAmount returns the paid amount above the new amount, at least 0 (fault 4a)', () => {
  expect(getDiscardedAmount({ contract_amount: 1_000_000n, residual_amount: 5_364_384n })).toBe(4_364_384n)
  expect(getDiscardedAmount({ contract_amount: 5_364_384n, residual_amount: 1_000_000n })).toBe(0n)
  expect(getDiscardedAmount({ contract_amount: 5n, residual_amount: 5n })).toBe(0n)
})

test("getUndoRefusal allows an undo until the last second of the change's day (fault 4b)", () => {
  expect(getUndoDeadline('2026-11-28')).toBe('2026-11-28 23:59:59')
  expect(getUndoRefusal(change, '2026-11-28 00:00:00')).toBeNull()
  expect(getUndoRefusal(change, '2026-11-28 23:59:59')).toBeNull()
  expect(getUndoRefusal(change, '2026-11-29 00:00:00')).toBe('tooLate')
})

test.each([
  ['notUndoable', 'a purchase', { type: 'create' }],
  ['notUndoable', 'an extension', { type: 'extend' }],
  ['notUndoable', 'an undo', { restores_id: 7 }],
  ['notUndoable', 'a change that discarded nothing', { residual_amount: '10000.00' }],
  ['notUndoable', 'a change that is not in effect', { stored: 'unpaid' }],
  ['notUndoable', 'a change that became invalid', { stored: 'invalid' }],
  ['anotherOrderFollowed', 'a change that another contract replaced', { stored: 'overwritten' }],
  ['anotherOrderFollowed', 'a change with a later unpaid order', { pending: {} }],
  ['ended', 'a change whose contract has ended', { period_end: '2026-11-28' }],
] as const)('getUndoRefusal returns %s for %s (fault 4b)', (reason, _, fields) => {
  expect(getUndoRefusal({ ...change, ...fields }, '2026-11-28 12:00:00')).toBe(reason)
})

test('explainUndo returns steps from the paid amount to 0.00 (fault 4b)', () => {
  const buildStep = (code: FeeStep['code'], amount: string): FeeStep => ({ code, rule: 'D12', values: {}, amount })
  const steps = [
    buildStep('annual', '1.00'),
    buildStep('contract', '2.00'),
    buildStep('paid', '3.00'),
    buildStep('residual', '3.00'),
  ]
  expect(explainUndo([...steps, buildStep('due', '0.00')]).map(({ code, amount }) => `${code} ${amount}`)).toEqual([
    'segment 3.00',
    'contract 3.00',
    'paid 3.00',
    'residual 3.00',
    'due 0.00',
  ])
})
