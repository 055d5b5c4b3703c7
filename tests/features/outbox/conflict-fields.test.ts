import { describe, expect, it } from 'vitest'
import { sortFields, getFieldsToKeep } from '#features/outbox/conflict-fields.ts'
import type { ConflictComparison } from '#request/call-results.ts'

const comparison: ConflictComparison = {
  baseValues: { name: 'Li Wei', title: 0, alert: false, order: false },
  ownValues: { name: 'Li Wei Ming', alert: true },
  serverValues: {
    id: 7,
    name: 'Li Weiming',
    title: 2,
    alert: false,
    order: false,
    row_version: 4,
    update_time: 'later',
  },
  fields: ['name'],
  authorName: 'Grace Ho',
  isOwn: false,
  changedAt: '2026-05-04 16:00:00',
}

describe('the fields of a conflict (protocol 14)', () => {
  const sortedFields = sortFields(comparison)

  it('need a decision only if both sides changed them; the others are listed', () => {
    expect(sortedFields).toEqual({
      conflictingFields: [{ field: 'name', baseValue: 'Li Wei', localValue: 'Li Wei Ming', serverValue: 'Li Weiming' }],
      localOnlyFields: [{ field: 'alert', baseValue: false, localValue: true, serverValue: false }],
      serverOnlyFields: [{ field: 'title', baseValue: 0, localValue: undefined, serverValue: 2 }],
    })
  })

  it('are written if the user keeps them, together with the fields that only the user changed', () => {
    expect(getFieldsToKeep(sortedFields, { name: 'mine' })).toEqual(['name', 'alert'])
    expect(getFieldsToKeep(sortedFields, { name: 'theirs' })).toEqual(['alert'])
  })

  it('are not written if all of them are left as on the server', () => {
    const sortedOwnName = sortFields({ ...comparison, ownValues: { name: 'Li Wei Ming' } })
    expect(getFieldsToKeep(sortedOwnName, { name: 'theirs' })).toEqual([])
  })

  it("do not include changes of the server alone if the form's values were not stored", () => {
    expect(sortFields({ ...comparison, baseValues: null }).serverOnlyFields).toEqual([])
  })
})
