/**
 * Tests all points at which the browser can be killed. A short history runs once to count its steps (each commit, each request that is
 * sent, each response that is ready). Then it runs once for each step, and the browser is killed at that step. If the step is a request, it
 * arrives at the server after the device has recovered.
 */
import type { ModelAction } from '#tests/outbox-model/model-actions.ts'
import { runSimulation } from '#tests/outbox-model/run-simulation.ts'

const tab = 0
const firstActions: Record<string, ModelAction[]> = {
  'a user is created': [{ kind: 'create', tab, word: 'good' }],
  'a row is changed': [{ kind: 'change', tab, at: 0, word: 'good', field: 'name', hasBase: true }],
  'a row is deleted': [{ kind: 'remove', tab, at: 1 }],
  'a write is refused': [{ kind: 'create', tab, word: 'bad' }],
  'a write needs a confirmation': [{ kind: 'change', tab, at: 0, word: 'ask', field: 'name', hasBase: false }],
  'a row is changed that another user has changed': [
    { kind: 'behind', id: 2 },
    { kind: 'change', tab, at: 0, word: 'good', field: 'title', hasBase: true },
  ],
}
const secondActions: Record<string, ModelAction[]> = {
  'and then a row is changed': [{ kind: 'change', tab, at: 0, word: 'good', field: 'title', hasBase: false }],
  'and the created row is changed': [{ kind: 'change', tab: 1, at: 2, word: 'good', field: 'name', hasBase: false }],
  'and the first write is dropped': [{ kind: 'decide', tab, at: 0, decision: 'drop' }],
  'and a conflict is resolved': [
    { kind: 'tick', tab, immediate: true },
    { kind: 'decide', tab, at: 0, decision: 'keepOwnValues' },
  ],
  'and the user signs out and in again': [
    { kind: 'leave', tab, discard: false },
    { kind: 'come', tab, user: 1 },
  ],
  'and another user signs in': [
    { kind: 'leave', tab: 1, discard: false },
    { kind: 'come', tab, user: 2 },
    { kind: 'change', tab, at: 1, word: 'good', field: 'title', hasBase: false },
  ],
}
const conditions: Record<string, ModelAction> = {
  'with a connection': { kind: 'line', state: 'up' },
  'while offline': { kind: 'line', state: 'down' },
  'while responses are lost': { kind: 'line', state: 'answers lost' },
  'while a proxy responds': { kind: 'line', state: 'captive' },
  'while the server fails': { kind: 'mood', mood: 'failing' },
  'while the row is locked': { kind: 'mood', mood: 'locked' },
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

/**
 * Histories for the test suite: each first action, each second action and each condition occurs once. The campaign runs all combinations.
 */
export const selectedHistories: readonly ShortHistory[] = Object.keys(conditions).map((condition, index) => {
  const first = Object.keys(firstActions)[index]
  const second = Object.keys(secondActions).at(index - 1)
  const history = shortHistories.find(({ name }) => name === `${condition} ${first}, ${second}`)
  if (!history) throw new Error(`there is no short history for ${condition}`)
  return history
})

/** Returns the number of steps. Throws at the first step at which a kill breaks a guarantee. */
export async function killAtEveryStep({ name, actions }: ShortHistory): Promise<number> {
  const { steps } = await runSimulation(actions)
  for (let diesAt = 1; diesAt <= steps; diesAt++)
    await runSimulation(actions, { diesAt }).catch((cause: unknown) => {
      throw new Error(`${name}: killed at step ${diesAt} of ${steps}`, { cause })
    })
  return steps
}
