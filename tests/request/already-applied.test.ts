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

/** The model does not allow a user to give up a write that can proceed by itself, so a blocked queue key fails the test. */
it('A write that finds its change already applied releases the writes based on it (protocol 9, 14)', async () => {
  // Another user gives row 2 the same title that is waiting here.
  const { effects } = await runSimulation([
    goOffline,
    buildChange('title'),
    buildChange('name'),
    { kind: 'behind', id: 2 },
    ...goOnline,
  ])
  expect(effects).toBe(1)
})

it('A deletion that finds its row gone releases the writes based on it (protocol 14)', async () => {
  const removal: ModelAction = { kind: 'remove', tab: 0, at: 0 }
  await runSimulation([goOffline, removal, removal, buildChange('name'), ...goOnline])
})

it('A deletion of a row that is gone gives its form no problem (protocol 14)', async () => {
  const { forms } = await runSimulation([
    { kind: 'remove', tab: 0, at: 0 },
    { kind: 'remove', tab: 0, at: 0 },
  ])
  expect(forms).toBe(0)
})
