/** A conflict sorted by what is to be done about each field: to be chosen, or merged already (protocol 14). */
import { isSameContent } from '#domain/equal-values.ts'
import type { Comparison } from '#request/results.ts'

export interface Side {
  field: string
  /** Undefined: nobody noted it. */
  was: unknown
  mine: unknown
  theirs: unknown
}

export interface Sorted {
  /** Both changed these. */
  both: Side[]
  mineOnly: Side[]
  theirsOnly: Side[]
}

/** Of the server's own making: not a person's change. */
const notTold = ['id', 'row_version', 'update_time', 'create_time']

export function sortFields({ base, mine, theirs, fields }: Comparison): Sorted {
  const sideOf = (field: string): Side => ({
    field,
    was: base?.[field],
    mine: mine?.[field],
    theirs: theirs?.[field],
  })
  const asked = Object.keys(mine ?? {})
  const untouched = Object.keys(base ?? {}).filter((field) => !asked.includes(field) && !notTold.includes(field))
  return {
    both: fields.map(sideOf),
    mineOnly: asked
      .map(sideOf)
      .filter(({ field, mine: own, theirs: other }) => !fields.includes(field) && !isSameContent(own, other)),
    theirsOnly: untouched.map(sideOf).filter(({ was, theirs: other }) => !isSameContent(was, other)),
  }
}

export type Choice = 'mine' | 'theirs'

/** The fields of mine that are to be written over theirs; empty: theirs stays as it is. */
export const takenOf = ({ both, mineOnly }: Sorted, chosen: Readonly<Record<string, Choice>>): string[] =>
  [...both.filter(({ field }) => chosen[field] === 'mine'), ...mineOnly].map(({ field }) => field)
