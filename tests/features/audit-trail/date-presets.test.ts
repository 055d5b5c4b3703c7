import { describe, expect, it } from 'vitest'
import { datePresets, findPreset, toPresetRange } from '#features/audit-trail/list/date-presets.ts'

const today = '2026-03-02'

describe('the offered ranges of days', () => {
  it('end today, both days included', () => {
    expect(datePresets.map((preset) => toPresetRange(preset, today))).toEqual([
      { dateFrom: null, dateTo: null },
      { dateFrom: '2026-03-02', dateTo: '2026-03-02' },
      { dateFrom: '2026-02-24', dateTo: null },
      { dateFrom: '2026-02-01', dateTo: null },
      { dateFrom: '2025-12-03', dateTo: null },
    ])
  })

  it('are recognised in an address', () => {
    for (const preset of datePresets) expect(findPreset(toPresetRange(preset, today), today)).toBe(preset)
    expect(findPreset({ dateFrom: '2026-02-25', dateTo: null }, today)).toBeNull()
    expect(findPreset({ dateFrom: null, dateTo: today }, today)).toBeNull()
  })
})
