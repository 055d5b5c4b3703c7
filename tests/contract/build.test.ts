import { describe, expect, it } from 'vitest'
import { isBelow, numberOf } from '#contract/build.ts'

describe('the order of builds', () => {
  it('follows their numbers; what has none is of no age', () => {
    expect(['20261121090000-ab12', '7-x', 'dev', 'none', '', 'x-7'].map(numberOf)).toEqual([
      20261121090000, 7, 0, 0, 0, 0,
    ])
    expect(isBelow('7-x', 8)).toBe(true)
    expect(isBelow('8-x', 8)).toBe(false)
    expect(isBelow('7-x', 0)).toBe(false)
    expect(isBelow('dev', 8)).toBe(false)
  })
})
