import { expect, test, vi } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { listUsers } from '#contract/users.ts'
import type { Api } from '#request/result.ts'
import { withEarly } from '#app/early.ts'

function counted() {
  let asked = 0
  const ask: Api['ask'] = async () => ({ kind: 'fresh', output: (asked += 1) as never })
  return { ...withEarly({ ask }), asked: () => asked }
}
const list = { params: { companyId: 1 }, query: { page: 1 } }

test("a page's own asking is given the answer of the one that set off before it, once", async () => {
  const { api, early, asked } = counted()
  void early.ask(listUsers, list)
  expect(await api.ask(listUsers, list)).toEqual({ kind: 'fresh', output: 1 })
  expect(await api.ask(listUsers, list)).toEqual({ kind: 'fresh', output: 2 })
  expect(asked()).toBe(2)
})

test('other words, another endpoint and a wish of its own are asked by themselves', async () => {
  const { api, early, asked } = counted()
  await early.ask(listUsers, list)
  await api.ask(listUsers, { ...list, query: { page: 2 } })
  await api.ask(getUser, {})
  await api.ask(listUsers, list, { signal: new AbortController().signal })
  expect(asked()).toBe(4)
})

test('an answer that nobody came for does not speak for later', async () => {
  vi.useFakeTimers()
  try {
    const { api, early, asked } = counted()
    await early.ask(listUsers, list)
    vi.advanceTimersByTime(1_001)
    await api.ask(listUsers, list)
    expect(asked()).toBe(2)
  } finally {
    vi.useRealTimers()
  }
})
