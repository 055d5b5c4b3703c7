import { expect, it } from 'vitest'
import type { Choice } from '#domain/fees/annual.ts'
import { differenceOf, isNothing } from '#features/orders/change/change-diff.ts'

const before: Choice = { user_mode: 'CONCURRENT', users: 10, modules: ['core', 'fin'], uat: 0 }

it('the same in another order is nothing', () => {
  expect(isNothing(differenceOf(before, { ...before, modules: ['fin', 'core'] }))).toBe(true)
})

it('says each thing that differs, and nothing else', () => {
  expect(differenceOf(before, { ...before, users: 11, modules: ['core', 'hr'] })).toEqual({
    user_mode: false,
    users: true,
    uat: false,
    added: ['hr'],
    removed: ['fin'],
  })
  const fields: Partial<Choice>[] = [{ user_mode: 'NAMED' }, { users: 9 }, { uat: 1 }, { modules: ['core'] }]
  expect(fields.map((field) => isNothing(differenceOf(before, { ...before, ...field })))).toEqual(
    fields.map(() => false),
  )
})
