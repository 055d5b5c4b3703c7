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

describe('a conflict, field by field (protocol 14)', () => {
  const sortedFields = sortFields(comparison)

  it('asks only about what both have changed, and tells the rest', () => {
    expect(sortedFields).toEqual({
      conflictingFields: [{ field: 'name', baseValue: 'Li Wei', localValue: 'Li Wei Ming', serverValue: 'Li Weiming' }],
      localOnlyFields: [{ field: 'alert', baseValue: false, localValue: true, serverValue: false }],
      serverOnlyFields: [{ field: 'title', baseValue: 0, localValue: undefined, serverValue: 2 }],
    })
  })

  it('writes what is taken of mine, and what nobody else had changed along with it', () => {
    expect(getFieldsToKeep(sortedFields, { name: 'mine' })).toEqual(['name', 'alert'])
    expect(getFieldsToKeep(sortedFields, { name: 'theirs' })).toEqual(['alert'])
  })

  it('writes nothing where all of it is theirs', () => {
    const sortedOwnName = sortFields({ ...comparison, ownValues: { name: 'Li Wei Ming' } })
    expect(getFieldsToKeep(sortedOwnName, { name: 'theirs' })).toEqual([])
  })

  it('does not know what only they changed where nobody noted the values of the form', () => {
    expect(sortFields({ ...comparison, baseValues: null }).serverOnlyFields).toEqual([])
  })
})
