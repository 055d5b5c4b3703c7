import { describe, expect, it } from 'vitest'
import { sortFields, takenOf } from '#features/outbox/conflict-fields.ts'
import type { Comparison } from '#request/results.ts'

const found: Comparison = {
  base: { name: 'Li Wei', title: 0, alert: false, order: false },
  mine: { name: 'Li Wei Ming', alert: true },
  theirs: { id: 7, name: 'Li Weiming', title: 2, alert: false, order: false, row_version: 4, update_time: 'later' },
  fields: ['name'],
  who: 'Grace Ho',
  isOwn: false,
  when: '2026-05-04 16:00:00',
}

describe('a conflict, field by field (protocol 14)', () => {
  const sorted = sortFields(found)

  it('asks only about what both have changed, and tells the rest', () => {
    expect(sorted).toEqual({
      both: [{ field: 'name', was: 'Li Wei', mine: 'Li Wei Ming', theirs: 'Li Weiming' }],
      mineOnly: [{ field: 'alert', was: false, mine: true, theirs: false }],
      theirsOnly: [{ field: 'title', was: 0, mine: undefined, theirs: 2 }],
    })
  })

  it('writes what is taken of mine, and what nobody else had changed along with it', () => {
    expect(takenOf(sorted, { name: 'mine' })).toEqual(['name', 'alert'])
    expect(takenOf(sorted, { name: 'theirs' })).toEqual(['alert'])
  })

  it('writes nothing where all of it is theirs', () => {
    const alone = sortFields({ ...found, mine: { name: 'Li Wei Ming' } })
    expect(takenOf(alone, { name: 'theirs' })).toEqual([])
  })

  it('does not know what only they changed where nobody noted the values of the form', () => {
    expect(sortFields({ ...found, base: null }).theirsOnly).toEqual([])
  })
})
