import { describe, expect, it } from 'vitest'
import {
  describeAge,
  formatTable,
  isGreen,
  type NightlyRecord,
  type StepRecord,
} from '#tests/campaigns/nightly/record.ts'
import { findProblem } from '#tests/campaigns/nightly/release.ts'
import { listSteps, listTestFiles } from '#tests/campaigns/nightly/steps.ts'
import { addTotals } from '#tests/campaigns/nightly/totals.ts'

const commit = 'a'.repeat(40)
const createStep = (fields: Partial<StepRecord> = {}): StepRecord => ({
  id: 'bench L',
  hasPassed: true,
  minutes: 30,
  passed: 4,
  failed: 0,
  problems: [],
  figures: [],
  files: [],
  totals: {},
  ...fields,
})
const createRecord = (fields: Partial<NightlyRecord> = {}): NightlyRecord => ({
  commit,
  date: '2026-11-30',
  steps: [createStep()],
  missingFiles: [],
  lastGreen: null,
  totals: {},
  ...fields,
})

describe('the record of the nightly run', () => {
  it('is green only if all steps passed and all files of tests ran', () => {
    expect(isGreen(createRecord())).toBe(true)
    expect(isGreen(createRecord({ steps: [createStep(), createStep({ hasPassed: false })] }))).toBe(false)
    expect(isGreen(createRecord({ missingFiles: ['tests/a.test.ts'] }))).toBe(false)
  })

  it('allows a release only for the same product', () => {
    expect(findProblem(commit, createRecord())).toBeNull()
    expect(findProblem('b'.repeat(40), createRecord())).toContain('bbbbbbbb changed the product')
    expect(findProblem(commit, null)).toContain('No nightly run')
    const failed = createRecord({ steps: [createStep({ hasPassed: false })], missingFiles: ['tests/a.test.ts'] })
    expect(findProblem(commit, failed)).toContain('not green: bench L, tests/a.test.ts')
  })

  it('adds up the numbers of all runs', () => {
    expect(addTotals({ kills: 30, histories: 5 }, { kills: 10, writes: 1 })).toEqual({
      histories: 5,
      kills: 40,
      writes: 1,
    })
  })

  it('has a table with problems that cannot break it', () => {
    const failed = createStep({
      hasPassed: false,
      problems: ['a | b\nc', 'x'.repeat(500), 'third', 'fourth'],
      figures: [{ id: 'L1', value: '3.00 x', limit: '<= 2.5', hasPassed: false }],
    })
    const table = formatTable(
      createRecord({ steps: [createStep({ skipped: 3 }), failed], totals: { 'kills of the server': 70 } }),
    )
    expect(table).toContain('in 1.0 hours')
    expect(table).toContain('1 of 2 steps passed. Of 11 tests in 0 files, 8 passed, 0 failed and 3 did not run.')
    expect(table).toContain('| kills of the server | 70 |')
    expect(table).toContain('| a   b c; xxx')
    expect(table).not.toContain('fourth')
    expect(table).toContain('| L1 | 3.00 x | <= 2.5 | **missed** |')
  })

  it('warns of a run that is old or missing', () => {
    const lastGreen = { commit, date: '2026-11-29' }
    expect(describeAge({ lastGreen }, '2026-11-30')).toBe(
      'The latest nightly run without a failure is 1 day old (aaaaaaaa).',
    )
    expect(describeAge({ lastGreen }, '2026-12-06')).toMatch(/^The .* 7 days old/)
    expect(describeAge({ lastGreen }, '2026-12-07')).toMatch(/^Warning: .* 8 days old/)
    expect(describeAge({ lastGreen: null }, '2026-12-07')).toMatch(/^Warning: no nightly run/)
    expect(describeAge(null, '2026-12-07')).toMatch(/^Warning: no nightly run/)
  })
})

describe('the steps of the nightly run', () => {
  it('have unique ids and name files that exist', () => {
    const ids = listSteps().map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const browserFiles = listSteps().flatMap(({ args }) => args.filter((argument) => argument.endsWith('.test.ts')))
    expect(listTestFiles()).toEqual(expect.arrayContaining(browserFiles))
    expect(browserFiles.length).toBeGreaterThan(50)
  })
})
