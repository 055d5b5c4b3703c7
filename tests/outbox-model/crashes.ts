/**
 * Tests all crash points. A short history runs once to count its steps (each commit, each sent request, each response that is ready). Then
 * it runs once for each step, with the browser killed there. A request of that moment arrives late, after the device has recovered.
 */
import type { ModelAction } from '#tests/outbox-model/model-actions.ts'
import { runSimulation } from '#tests/outbox-model/run-simulation.ts'

const tab = 0
const firstActions: Record<string, ModelAction[]> = {
  'a user is made': [{ kind: 'create', tab, word: 'good' }],
  'a row is changed': [{ kind: 'change', tab, at: 0, word: 'good', field: 'name', hasBase: true }],
  'a row is taken away': [{ kind: 'remove', tab, at: 1 }],
  'a write is refused': [{ kind: 'create', tab, word: 'bad' }],
  'a write is asked about': [{ kind: 'change', tab, at: 0, word: 'ask', field: 'name', hasBase: false }],
  'a row is changed that somebody else has changed': [
    { kind: 'behind', id: 2 },
    { kind: 'change', tab, at: 0, word: 'good', field: 'title', hasBase: true },
  ],
}
const secondActions: Record<string, ModelAction[]> = {
  'and changed again': [{ kind: 'change', tab, at: 0, word: 'good', field: 'title', hasBase: false }],
  'and what was made is changed': [{ kind: 'change', tab: 1, at: 2, word: 'good', field: 'name', hasBase: false }],
  'and the first is taken back': [{ kind: 'decide', tab, at: 0, decision: 'drop' }],
  'and a conflict is decided': [
    { kind: 'tick', tab, immediate: true },
    { kind: 'decide', tab, at: 0, decision: 'keepOwnValues' },
  ],
  'and its user leaves and comes back': [
    { kind: 'leave', tab, discard: false },
    { kind: 'come', tab, user: 1 },
  ],
  'and another user comes': [
    { kind: 'leave', tab: 1, discard: false },
    { kind: 'come', tab, user: 2 },
    { kind: 'change', tab, at: 1, word: 'good', field: 'title', hasBase: false },
  ],
}
const conditions: Record<string, ModelAction> = {
  'with the line up': { kind: 'line', state: 'up' },
  'with the line down': { kind: 'line', state: 'down' },
  'with answers lost': { kind: 'line', state: 'answers lost' },
  'with somebody else answering': { kind: 'line', state: 'captive' },
  'with a server that fails': { kind: 'mood', mood: 'failing' },
  'with the row locked': { kind: 'mood', mood: 'locked' },
}
const recoveryActions: ModelAction[] = [
  { kind: 'line', state: 'up' },
  { kind: 'mood', mood: 'well' },
  { kind: 'tick', tab, immediate: true },
]

export interface ShortHistory {
  name: string
  actions: ModelAction[]
}

export const shortHistories: readonly ShortHistory[] = Object.entries(conditions).flatMap(
  ([condition, conditionAction]) =>
    Object.entries(firstActions).flatMap(([first, leading]) =>
      Object.entries(secondActions).map(([second, following]) => ({
        name: `${condition} ${first}, ${second}`,
        actions: [conditionAction, ...leading, ...following, ...recoveryActions],
      })),
    ),
)

/** For the suite: each first action, second action and condition once. The campaign runs all combinations. */
export const selectedHistories: readonly ShortHistory[] = Object.keys(conditions).map((condition, index) => {
  const first = Object.keys(firstActions)[index]
  const second = Object.keys(secondActions).at(index - 1)
  const history = shortHistories.find(({ name }) => name === `${condition} ${first}, ${second}`)
  if (!history) throw new Error(`there is no short history for ${condition}`)
  return history
})

/** Returns the number of crash points. Throws at the first one that breaks a guarantee, with its step. */
export async function killAtEveryStep({ name, actions }: ShortHistory): Promise<number> {
  const { steps } = await runSimulation(actions)
  for (let diesAt = 1; diesAt <= steps; diesAt++)
    await runSimulation(actions, { diesAt }).catch((cause: unknown) => {
      throw new Error(`${name}: killed at step ${diesAt} of ${steps}`, { cause })
    })
  return steps
}
