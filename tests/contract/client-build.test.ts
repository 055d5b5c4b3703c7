import { describe, expect, it } from 'vitest'
import { isOlderBuild, getBuildTime, getBuildNumber } from '#contract/client-build.ts'

describe('the order of builds', () => {
  it('follows their numbers; what has none is of no age', () => {
    expect(['20261121090000-ab12', '7-x', 'dev', 'none', '', 'x-7'].map(getBuildNumber)).toEqual([
      20261121090000, 7, 0, 0, 0, 0,
    ])
    expect(isOlderBuild('7-x', 8)).toBe(true)
    expect(isOlderBuild('8-x', 8)).toBe(false)
    expect(isOlderBuild('7-x', 0)).toBe(false)
    expect(isOlderBuild('dev', 8)).toBe(false)
  })
})

describe('when a build was made', () => {
  it('is read from its number, where that is a moment (P-16)', () => {
    expect(getBuildTime('20261121155214-e994e0e4')).toBe(Date.UTC(2026, 10, 21, 15, 52, 14))
    expect(['7-abc', 'dev', '2026-abc'].map(getBuildTime)).toEqual([null, null, null])
  })
})
