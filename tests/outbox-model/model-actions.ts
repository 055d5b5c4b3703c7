/** Defines the events of a device with an outbox, as data. They are generated at random or written by hand. A failing test prints them. */
import * as fc from 'fast-check'
import type { ConnectionState } from '#tests/support/device/device.ts'
import { serverModes, type ServerMode } from '#tests/outbox-model/server.ts'

export const words = ['good', 'bad', 'ask'] as const
export type NameWord = (typeof words)[number]
export const decisions = ['retry', 'fix', 'confirm', 'keepOwnValues', 'keepServerValues', 'drop', 'drop'] as const
export type Decision = (typeof decisions)[number]

export type ModelAction =
  | { kind: 'create'; tab: number; word: NameWord }
  /** A user changes a row, which `at` selects. With `hasBase` the form was opened on the cached row. */
  | { kind: 'change'; tab: number; at: number; word: NameWord; field: 'name' | 'title'; hasBase: boolean }
  | { kind: 'remove'; tab: number; at: number }
  /** A form whose write was refused is sent again. */
  | { kind: 'again'; tab: number }
  | { kind: 'decide'; tab: number; at: number; decision: Decision }
  | { kind: 'tick'; tab: number; immediate: boolean }
  | { kind: 'list'; tab: number }
  | { kind: 'pass'; ms: number }
  | { kind: 'line'; state: ConnectionState }
  | { kind: 'mood'; mood: ServerMode }
  | { kind: 'behind'; id: number }
  | { kind: 'reload'; tab: number }
  | { kind: 'leave'; tab: number; discard: boolean }
  | { kind: 'come'; tab: number; user: number }
  | { kind: 'full'; full: boolean }
  | { kind: 'closed' | 'freeze' | 'thaw'; tab: number }
  | { kind: 'jump'; minutes: number }
  /** The browser is killed after this number of further steps, which is usually during one of the next actions. */
  | { kind: 'dies'; after: number }
  | { kind: 'revoke' | 'kill' | 'late' }

const tab = fc.constantFrom(0, 0, 1)
const indexArbitrary = fc.nat({ max: 5 })
const weighted = <T extends ModelAction>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary })
const constantKind = <const I extends ModelAction['kind']>(name: I) => fc.constant(name)

export const actionArbitrary: fc.Arbitrary<ModelAction> = fc.oneof(
  weighted(
    8,
    fc.record({ kind: constantKind('create'), tab, word: fc.constantFrom(...words, 'good' as const, 'good' as const) }),
  ),
  weighted(
    14,
    fc.record({
      kind: constantKind('change'),
      tab,
      at: indexArbitrary,
      word: fc.constantFrom(...words, 'good' as const, 'good' as const),
      field: fc.constantFrom('name' as const, 'title' as const),
      hasBase: fc.boolean(),
    }),
  ),
  weighted(3, fc.record({ kind: constantKind('remove'), tab, at: indexArbitrary })),
  weighted(3, fc.record({ kind: constantKind('again'), tab })),
  weighted(
    8,
    fc.record({ kind: constantKind('decide'), tab, at: indexArbitrary, decision: fc.constantFrom(...decisions) }),
  ),
  weighted(10, fc.record({ kind: constantKind('tick'), tab, immediate: fc.boolean() })),
  weighted(3, fc.record({ kind: constantKind('list'), tab })),
  weighted(4, fc.record({ kind: constantKind('pass'), ms: fc.constantFrom(500, 3_000, 31_000, 46_000, 120_000) })),
  weighted(
    12,
    fc.record({
      kind: constantKind('line'),
      state: fc.constantFrom<ConnectionState>('up', 'up', 'up', 'down', 'answers lost', 'hanging', 'captive'),
    }),
  ),
  weighted(
    6,
    fc.record({
      kind: constantKind('mood'),
      mood: fc.constantFrom<ServerMode>(...serverModes, 'well', 'well', 'well'),
    }),
  ),
  weighted(4, fc.record({ kind: constantKind('behind'), id: fc.constantFrom(2, 3, 4) })),
  weighted(3, fc.record({ kind: constantKind('reload'), tab })),
  weighted(2, fc.record({ kind: constantKind('leave'), tab, discard: fc.boolean() })),
  weighted(3, fc.record({ kind: constantKind('come'), tab, user: fc.constantFrom(1, 1, 2) })),
  weighted(2, fc.record({ kind: constantKind('full'), full: fc.boolean() })),
  weighted(2, fc.record({ kind: constantKind('closed'), tab })),
  weighted(2, fc.record({ kind: constantKind('freeze'), tab })),
  weighted(3, fc.record({ kind: constantKind('thaw'), tab })),
  weighted(2, fc.record({ kind: constantKind('jump'), minutes: fc.constantFrom(-120, -11, 11, 300) })),
  weighted(5, fc.record({ kind: constantKind('dies'), after: fc.integer({ min: 1, max: 25 }) })),
  weighted(3, fc.record({ kind: fc.constantFrom('revoke' as const, 'kill' as const, 'late' as const) })),
)
