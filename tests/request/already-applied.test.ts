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

/** In the model, a user cannot drop a write that can be sent by itself. So a blocked queue key makes the test fail. */
it('A write that finds its change already applied releases the writes based on it (protocol 9, 14)', async () => {
  // Another user gives row 2 the title that is also waiting on this device.
  const { effects } = await runSimulation([
    goOffline,
    buildChange('title'),
    buildChange('name'),
    { kind: 'behind', id: 2 },
    ...goOnline,
  ])
  expect(effects).toBe(1)
})

it('A deletion that finds its row already deleted releases the writes based on it (protocol 14)', async () => {
  const removal: ModelAction = { kind: 'remove', tab: 0, at: 0 }
  await runSimulation([goOffline, removal, removal, buildChange('name'), ...goOnline])
})

it('Deleting a row that is already deleted reports no problem to the form (protocol 14)', async () => {
  const { forms } = await runSimulation([
    { kind: 'remove', tab: 0, at: 0 },
    { kind: 'remove', tab: 0, at: 0 },
  ])
  expect(forms).toBe(0)
})
