import { describe, expect, it } from 'vitest'
import {
  addTotals,
  describeAge,
  formatTable,
  isGreen,
  type NightlyRecord,
  type StepRecord,
} from '#tests/campaigns/nightly/record.ts'
import { findProblem } from '#tests/campaigns/nightly/release.ts'
import { listSteps, listTestFiles } from '#tests/campaigns/nightly/steps.ts'

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
  ...fields,
})
const createRecord = (fields: Partial<NightlyRecord> = {}): NightlyRecord => ({
  commit,
  date: '2026-11-30',
  steps: [createStep()],
  missingFiles: [],
  lastGreen: null,
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

  it('has a table with problems that cannot break it', () => {
    const failed = createStep({
      hasPassed: false,
      problems: ['a | b\nc', 'x'.repeat(500), 'third', 'fourth'],
      figures: [{ id: 'L1', value: '3.00 x', limit: '<= 2.5', hasPassed: false }],
    })
    const table = formatTable(createRecord({ steps: [createStep(), failed] }))
    expect(table).toContain('in 1.0 hours')
    expect(table).toContain('1 of 2 steps passed, with 8 tests passed')
    expect(table).toContain('| a   b c; xxx')
    expect(table).not.toContain('fourth')
    expect(table).toContain('| L1 | 3.00 x | <= 2.5 | **missed** |')
  })

  it('adds up events of the steps that passed, and shows the sums', () => {
    const figure = { id: 'kills', value: '0', limit: '0', hasPassed: true }
    const steps = [
      createStep({
        figures: [
          { ...figure, addedUp: { firefox: 50, webkit: 7 } },
          { ...figure, addedUp: { firefox: 2 } },
        ],
      }),
      createStep({ hasPassed: false, figures: [{ ...figure, addedUp: { firefox: 1000 } }] }),
    ]
    const totals = addTotals({ firefox: 100, chromium: 3 }, steps)
    expect(totals).toEqual({ firefox: 152, chromium: 3, webkit: 7 })
    expect(formatTable(createRecord({ totals }))).toContain('| firefox | 152 |')
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
