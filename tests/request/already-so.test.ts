import { expect, it } from 'vitest'
import type { Deed } from '#tests/outbox-model/operations.ts'
import { live } from '#tests/outbox-model/live.ts'

const down: Deed = { kind: 'line', state: 'down' }
const up: Deed[] = [
  { kind: 'line', state: 'up' },
  { kind: 'tick', tab: 0, hurry: true },
]
const change = (field: 'name' | 'title'): Deed => ({ kind: 'change', tab: 0, at: 0, word: 'good', field, based: true })

/** The model lets nobody give up on what should go by itself: a lane that is stuck fails. */
it('a write that finds its row already so lets those based on it go (protocol 9, 14)', async () => {
  // Somebody else gives row 2 the very title that is waiting here.
  const { effects } = await live([down, change('title'), change('name'), { kind: 'behind', id: 2 }, ...up])
  expect(effects).toBe(1)
})

it('a removal that finds the row gone lets those based on it be told so (protocol 14)', async () => {
  const remove: Deed = { kind: 'remove', tab: 0, at: 0 }
  await live([down, remove, remove, change('name'), ...up])
})

it('a removal of what is gone is no problem to its form (protocol 14)', async () => {
  const { forms } = await live([
    { kind: 'remove', tab: 0, at: 0 },
    { kind: 'remove', tab: 0, at: 0 },
  ])
  expect(forms).toBe(0)
})
