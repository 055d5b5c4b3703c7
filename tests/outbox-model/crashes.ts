/**
 * Crash points, all of them: a short history is lived once to count its steps (each commit, each request that leaves,
 * each answer that is ready), then once more per step with the browser killed there. A request of that moment arrives
 * late, after the device has recovered.
 */
import type { Deed } from '#tests/outbox-model/operations.ts'
import { live } from '#tests/outbox-model/live.ts'

const tab = 0
const firsts: Record<string, Deed[]> = {
  'a user is made': [{ kind: 'create', tab, word: 'good' }],
  'a row is changed': [{ kind: 'change', tab, at: 0, word: 'good', field: 'name', based: true }],
  'a row is taken away': [{ kind: 'remove', tab, at: 1 }],
  'a write is refused': [{ kind: 'create', tab, word: 'bad' }],
  'a write is asked about': [{ kind: 'change', tab, at: 0, word: 'ask', field: 'name', based: false }],
  'a row is changed that somebody else has changed': [
    { kind: 'behind', id: 2 },
    { kind: 'change', tab, at: 0, word: 'good', field: 'title', based: true },
  ],
}
const seconds: Record<string, Deed[]> = {
  'and changed again': [{ kind: 'change', tab, at: 0, word: 'good', field: 'title', based: false }],
  'and what was made is changed': [{ kind: 'change', tab: 1, at: 2, word: 'good', field: 'name', based: false }],
  'and the first is taken back': [{ kind: 'decide', tab, at: 0, how: 'drop' }],
  'and a conflict is decided': [
    { kind: 'tick', tab, hurry: true },
    { kind: 'decide', tab, at: 0, how: 'keepMine' },
  ],
  'and its user leaves and comes back': [
    { kind: 'leave', tab, discard: false },
    { kind: 'come', tab, user: 1 },
  ],
  'and another user comes': [
    { kind: 'leave', tab: 1, discard: false },
    { kind: 'come', tab, user: 2 },
    { kind: 'change', tab, at: 1, word: 'good', field: 'title', based: false },
  ],
}
const weathers: Record<string, Deed> = {
  'with the line up': { kind: 'line', state: 'up' },
  'with the line down': { kind: 'line', state: 'down' },
  'with answers lost': { kind: 'line', state: 'answers lost' },
  'with somebody else answering': { kind: 'line', state: 'captive' },
  'with a server that fails': { kind: 'mood', mood: 'failing' },
  'with the row locked': { kind: 'mood', mood: 'locked' },
}
const clears: Deed[] = [
  { kind: 'line', state: 'up' },
  { kind: 'mood', mood: 'well' },
  { kind: 'tick', tab, hurry: true },
]

export interface Short {
  name: string
  deeds: Deed[]
}

export const shorts: readonly Short[] = Object.entries(weathers).flatMap(([weather, set]) =>
  Object.entries(firsts).flatMap(([first, one]) =>
    Object.entries(seconds).map(([second, two]) => ({
      name: `${weather} ${first}, ${second}`,
      deeds: [set, ...one, ...two, ...clears],
    })),
  ),
)

/** For the suite: each beginning, continuation and weather once. All of them are the campaign's. */
export const fewShorts: readonly Short[] = Object.keys(weathers).map((weather, at) => {
  const first = Object.keys(firsts)[at]
  const second = Object.keys(seconds).at(at - 1)
  const found = shorts.find(({ name }) => name === `${weather} ${first}, ${second}`)
  if (!found) throw new Error(`there is no short history for ${weather}`)
  return found
})

/** Answers how many points there were; throws at the first one that breaks the promise, named. */
export async function dieEverywhere({ name, deeds }: Short): Promise<number> {
  const { steps } = await live(deeds)
  for (let diesAt = 1; diesAt <= steps; diesAt++)
    await live(deeds, { diesAt }).catch((cause: unknown) => {
      throw new Error(`${name}: killed at step ${diesAt} of ${steps}`, { cause })
    })
  return steps
}
