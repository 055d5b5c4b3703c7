/** What may happen to a device with an outbox, as data: drawn at random or written down, printed by a failing test. */
import * as fc from 'fast-check'
import type { LineState } from '#tests/support/device/device.ts'
import { moods, type Mood } from '#tests/outbox-model/server.ts'

export const words = ['good', 'bad', 'ask'] as const
export type Word = (typeof words)[number]
export const decisions = ['retry', 'mend', 'confirm', 'keepMine', 'keepTheirs', 'drop', 'drop'] as const
export type Decision = (typeof decisions)[number]

export type Deed =
  | { kind: 'create'; tab: number; word: Word }
  /** `at` picks among the rows there are; `based`: by a form that was opened on the row. */
  | { kind: 'change'; tab: number; at: number; word: Word; field: 'name' | 'title'; based: boolean }
  | { kind: 'remove'; tab: number; at: number }
  /** A form that was told what is wrong is sent once more. */
  | { kind: 'again'; tab: number }
  | { kind: 'decide'; tab: number; at: number; how: Decision }
  | { kind: 'tick'; tab: number; hurry: boolean }
  | { kind: 'list'; tab: number }
  | { kind: 'pass'; ms: number }
  | { kind: 'line'; state: LineState }
  | { kind: 'mood'; mood: Mood }
  | { kind: 'behind'; id: number }
  | { kind: 'reload'; tab: number }
  | { kind: 'leave'; tab: number; discard: boolean }
  | { kind: 'come'; tab: number; user: number }
  | { kind: 'full'; full: boolean }
  | { kind: 'closed' | 'freeze' | 'thaw'; tab: number }
  | { kind: 'jump'; minutes: number }
  /** The browser is killed so many steps from here: in the middle of what comes next. */
  | { kind: 'dies'; after: number }
  | { kind: 'revoke' | 'kill' | 'late' }

const tab = fc.constantFrom(0, 0, 1)
const at = fc.nat({ max: 5 })
const some = <T extends Deed>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary })
const is = <const I extends Deed['kind']>(name: I) => fc.constant(name)

export const deed: fc.Arbitrary<Deed> = fc.oneof(
  some(8, fc.record({ kind: is('create'), tab, word: fc.constantFrom(...words, 'good' as const, 'good' as const) })),
  some(
    14,
    fc.record({
      kind: is('change'),
      tab,
      at,
      word: fc.constantFrom(...words, 'good' as const, 'good' as const),
      field: fc.constantFrom('name' as const, 'title' as const),
      based: fc.boolean(),
    }),
  ),
  some(3, fc.record({ kind: is('remove'), tab, at })),
  some(3, fc.record({ kind: is('again'), tab })),
  some(8, fc.record({ kind: is('decide'), tab, at, how: fc.constantFrom(...decisions) })),
  some(10, fc.record({ kind: is('tick'), tab, hurry: fc.boolean() })),
  some(3, fc.record({ kind: is('list'), tab })),
  some(4, fc.record({ kind: is('pass'), ms: fc.constantFrom(500, 3_000, 31_000, 46_000, 120_000) })),
  some(
    12,
    fc.record({
      kind: is('line'),
      state: fc.constantFrom<LineState>('up', 'up', 'up', 'down', 'answers lost', 'hanging', 'captive'),
    }),
  ),
  some(6, fc.record({ kind: is('mood'), mood: fc.constantFrom<Mood>(...moods, 'well', 'well', 'well') })),
  some(4, fc.record({ kind: is('behind'), id: fc.constantFrom(2, 3, 4) })),
  some(3, fc.record({ kind: is('reload'), tab })),
  some(2, fc.record({ kind: is('leave'), tab, discard: fc.boolean() })),
  some(3, fc.record({ kind: is('come'), tab, user: fc.constantFrom(1, 1, 2) })),
  some(2, fc.record({ kind: is('full'), full: fc.boolean() })),
  some(2, fc.record({ kind: is('closed'), tab })),
  some(2, fc.record({ kind: is('freeze'), tab })),
  some(3, fc.record({ kind: is('thaw'), tab })),
  some(2, fc.record({ kind: is('jump'), minutes: fc.constantFrom(-120, -11, 11, 300) })),
  some(5, fc.record({ kind: is('dies'), after: fc.integer({ min: 1, max: 25 }) })),
  some(3, fc.record({ kind: fc.constantFrom('revoke' as const, 'kill' as const, 'late' as const) })),
)
