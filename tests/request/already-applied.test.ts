import { expect, it } from 'vitest'
import type { ModelAction } from '#tests/outbox-model/model-actions.ts'
import { runSimulation } from '#tests/outbox-model/run-simulation.ts'

const goOffline: ModelAction = { kind: 'line', state: 'down' }
const goOnline: ModelAction[] = [
  { kind: 'line', state: 'up' },
  { kind: 'tick', tab: 0, immediate: true },
]
const buildChange = (field: 'name' | 'title'): ModelAction => ({
  kind: 'change',
  tab: 0,
  at: 0,
  word: 'good',
  field,
  hasBase: true,
})

/** The model lets nobody give up on what should go by itself: a lane that is stuck fails. */
it('a write that finds its row already so lets those based on it go (protocol 9, 14)', async () => {
  // Somebody else gives row 2 the very title that is waiting here.
  const { effects } = await runSimulation([
    goOffline,
    buildChange('title'),
    buildChange('name'),
    { kind: 'behind', id: 2 },
    ...goOnline,
  ])
  expect(effects).toBe(1)
})

it('a removal that finds the row gone lets those based on it be told so (protocol 14)', async () => {
  const removal: ModelAction = { kind: 'remove', tab: 0, at: 0 }
  await runSimulation([goOffline, removal, removal, buildChange('name'), ...goOnline])
})

it('a removal of what is gone is no problem to its form (protocol 14)', async () => {
  const { forms } = await runSimulation([
    { kind: 'remove', tab: 0, at: 0 },
    { kind: 'remove', tab: 0, at: 0 },
  ])
  expect(forms).toBe(0)
})
