import { describe, expect, it } from 'vitest'
import { isOlderBuild, isReplacedBy, getBuildTime, getBuildNumber } from '#contract/client-build.ts'

describe('getBuildNumber and isOlderBuild', () => {
  it('compare builds by number, and call no build older if either has no number', () => {
    expect(['20261121090000-ab12', '7-x', 'dev', 'none', '', 'x-7'].map(getBuildNumber)).toEqual([
      20261121090000, 7, 0, 0, 0, 0,
    ])
    expect(isOlderBuild('7-x', 8)).toBe(true)
    expect(isOlderBuild('8-x', 8)).toBe(false)
    expect(isOlderBuild('7-x', 0)).toBe(false)
    expect(isOlderBuild('dev', 8)).toBe(false)
  })
})

describe('getBuildTime', () => {
  it('returns the time in a build number, or null if the number is not a time (P-16)', () => {
    expect(getBuildTime('20261121155214-e994e0e4')).toBe(Date.UTC(2026, 10, 21, 15, 52, 14))
    expect(['7-abc', 'dev', '2026-abc'].map(getBuildTime)).toEqual([null, null, null])
  })
})

describe('isReplacedBy', () => {
  it.each([
    ['2-x', '3-y', ['2-x', '3-y'], true],
    ['2-x', '2-x', ['2-x'], false],
    ['2-x', '2-y', ['2-x', '2-y'], true],
    ['3-y', '2-x', ['2-x', '3-y'], false],
    ['3-y', '2-x', ['2-x'], true],
    ['3-y', '2-x', undefined, true],
    ['dev', '2-x', ['2-x'], true],
    ['2-x', 'none', ['2-x'], false],
  ])('of %s, with %s on the node that responds and %j on all nodes, is %s', (own, build, builds, expected) => {
    expect(isReplacedBy(own, { build, ...(builds ? { builds } : {}) })).toBe(expected)
  })
})
