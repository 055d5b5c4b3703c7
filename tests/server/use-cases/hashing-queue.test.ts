/** Tests the hash queue (S-33) with hashes that the test ends itself, so the order does not depend on time. */
import { expect, test } from 'vitest'
import { type HashingCaller, HashingQueue } from '#server/use-cases/hashing-queue.ts'

const cores = 3
const anonymousAtOnce = cores - 1
const maxAnonymous = anonymousAtOnce + 50
const anonymousCaller: HashingCaller = { kind: 'anonymous' }
const buildKnownCaller = (userId: number): HashingCaller => ({ kind: 'known', userId })

/** Creates a queue and lists the running work by name. `endWork` ends the work of a name. */
function createWatchedQueue(rest?: () => Promise<void>) {
  const queue = new HashingQueue(cores, rest)
  const working = new Map<string, () => void>()
  const refusals: string[] = []
  const endedNames: string[] = []
  const enqueue = (name: string, caller: HashingCaller, isSlow = false) => {
    void queue
      .runWithPosition(caller, (position) => {
        if (isSlow) position.slowDown()
        return position.run(() => new Promise<void>((resolve) => working.set(name, resolve)))
      })
      .then(
        () => endedNames.push(name),
        ({ code, retryAfterSeconds }) => refusals.push(`${name} ${code} ${retryAfterSeconds}`),
      )
  }
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  const endWork = async (name: string) => {
    working.get(name)?.()
    working.delete(name)
    await settle()
  }
  return { enqueue, endWork, settle, refusals, endedNames, working: () => [...working.keys()] }
}

test('Anonymous callers leave one slot free for known callers', async () => {
  const { enqueue, endWork, settle, refusals, working } = createWatchedQueue()
  for (let index = 0; index < maxAnonymous + 5; index++) enqueue(`stranger ${index}`, anonymousCaller)
  await settle()
  expect(working()).toEqual(['stranger 0', 'stranger 1'])
  expect(refusals).toEqual([52, 53, 54, 55, 56].map((index) => `stranger ${index} RATE_LIMITED 2`))

  enqueue('known 1', buildKnownCaller(1))
  enqueue('known 2', buildKnownCaller(2))
  await settle()
  expect(working()).toEqual(['stranger 0', 'stranger 1', 'known 1'])
  // The known caller overtakes fifty anonymous callers that were waiting.
  await endWork('stranger 0')
  expect(working()).toEqual(['stranger 1', 'known 1', 'known 2'])
  await endWork('stranger 1')
  expect(working()).toEqual(['known 1', 'known 2', 'stranger 2'])
})

test('Known callers may use every slot, and anonymous callers get their slots back', async () => {
  const { enqueue, endWork, settle, working } = createWatchedQueue()
  for (let index = 0; index < 4; index++) enqueue(`known ${index}`, buildKnownCaller(index))
  enqueue('stranger', anonymousCaller)
  await settle()
  expect(working()).toEqual(['known 0', 'known 1', 'known 2'])
  await endWork('known 0')
  expect(working()).toEqual(['known 1', 'known 2', 'known 3'])
  await endWork('known 1')
  expect(working()).toEqual(['known 2', 'known 3', 'stranger'])
})

test('An account has two places in the queue of known callers, and its further calls count as anonymous', async () => {
  const { enqueue, endWork, settle, refusals, working } = createWatchedQueue()
  for (let index = 0; index < maxAnonymous; index++) enqueue(`stranger ${index}`, anonymousCaller)
  for (const name of ['first', 'second', 'third']) enqueue(name, buildKnownCaller(7))
  enqueue('other', buildKnownCaller(8))
  await settle()
  expect(refusals).toEqual(['third RATE_LIMITED 2'])
  expect(working()).toContain('first')
  await endWork('first')
  await endWork('second')
  expect(working()).toContain('other')
  // The account has two places in the queue again.
  enqueue('fourth', buildKnownCaller(7))
  await endWork('other')
  expect(working()).toContain('fourth')
  expect(refusals).toHaveLength(1)
})

test('Slowed calls run one at a time with a pause that delays neither known callers nor the response', async () => {
  const restEnds: (() => void)[] = []
  const { enqueue, endWork, settle, endedNames, refusals, working } = createWatchedQueue(
    () => new Promise((resolve) => restEnds.push(resolve)),
  )
  for (let index = 0; index < maxAnonymous; index++) enqueue(`slow ${index}`, anonymousCaller, true)
  enqueue('late', anonymousCaller)
  await settle()
  expect(working()).toEqual(['slow 0'])
  expect(refusals).toEqual(['late RATE_LIMITED 13'])
  await endWork('slow 0')
  expect([endedNames, working()]).toEqual([['slow 0'], []])
  enqueue('known', buildKnownCaller(1))
  await settle()
  expect(working()).toEqual(['known'])
  restEnds[0]?.()
  await settle()
  expect(working()).toEqual(['known', 'slow 1'])
})
