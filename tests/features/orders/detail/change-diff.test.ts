import { expect, it } from 'vitest'
import type { ContractTerms } from '#domain/fees/annual.ts'
import { getChoiceDifference, isEmptyDifference } from '#features/orders/change/change-diff.ts'

const previousTerms: ContractTerms = { user_mode: 'CONCURRENT', users: 10, modules: ['core', 'fin'], uat: 0 }

it('getChoiceDifference ignores the order of modules', () => {
  expect(isEmptyDifference(getChoiceDifference(previousTerms, { ...previousTerms, modules: ['fin', 'core'] }))).toBe(
    true,
  )
})

it('getChoiceDifference returns exactly the fields that differ', () => {
  expect(getChoiceDifference(previousTerms, { ...previousTerms, users: 11, modules: ['core', 'hr'] })).toEqual({
    user_mode: false,
    users: true,
    uat: false,
    addedModules: ['hr'],
    removedModules: ['fin'],
  })
  const fields: Partial<ContractTerms>[] = [{ user_mode: 'NAMED' }, { users: 9 }, { uat: 1 }, { modules: ['core'] }]
  expect(
    fields.map((field) => isEmptyDifference(getChoiceDifference(previousTerms, { ...previousTerms, ...field }))),
  ).toEqual(fields.map(() => false))
})
