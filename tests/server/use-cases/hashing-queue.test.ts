/** S-33 with hashes that end when the test says so: no clock decides who comes first. */
import { expect, test } from 'vitest'
import { type Asker, HashingQueue } from '#server/use-cases/hashing-queue.ts'

const cores = 3
const strangersAtOnce = cores - 1
const maxAnonymous = strangersAtOnce + 50
const stranger: Asker = { kind: 'stranger' }
const known = (userId: number): Asker => ({ kind: 'known', userId })

/** Who has begun and not ended, by name; `end` ends one. */
function underWatch(rest?: () => Promise<void>) {
  const queue = new HashingQueue(cores, rest)
  const working = new Map<string, () => void>()
  const refused: string[] = []
  const ended: string[] = []
  const come = (name: string, asker: Asker, isSlow = false) => {
    void queue
      .hold(asker, (place) => {
        if (isSlow) place.slow()
        return place.run(() => new Promise<void>((end) => working.set(name, end)))
      })
      .then(
        () => ended.push(name),
        ({ code, retryAfterSeconds }) => refused.push(`${name} ${code} ${retryAfterSeconds}`),
      )
  }
  const settle = () => new Promise<void>((done) => setImmediate(done))
  const end = async (name: string) => {
    working.get(name)?.()
    working.delete(name)
    await settle()
  }
  return { come, end, settle, refused, ended, working: () => [...working.keys()] }
}

test('strangers leave one slot free, and whom we know has it at once, however many strangers wait', async () => {
  const { come, end, settle, refused, working } = underWatch()
  for (let at = 0; at < maxAnonymous + 5; at++) come(`stranger ${at}`, stranger)
  await settle()
  expect(working()).toEqual(['stranger 0', 'stranger 1'])
  expect(refused).toEqual([52, 53, 54, 55, 56].map((at) => `stranger ${at} RATE_LIMITED 2`))

  come('known 1', known(1))
  come('known 2', known(2))
  await settle()
  expect(working()).toEqual(['stranger 0', 'stranger 1', 'known 1'])
  // Before fifty strangers who came earlier.
  await end('stranger 0')
  expect(working()).toEqual(['stranger 1', 'known 1', 'known 2'])
  await end('stranger 1')
  expect(working()).toEqual(['known 1', 'known 2', 'stranger 2'])
})

test('known ones take every slot, and strangers get theirs back', async () => {
  const { come, end, settle, working } = underWatch()
  for (let at = 0; at < 4; at++) come(`known ${at}`, known(at))
  come('stranger', stranger)
  await settle()
  expect(working()).toEqual(['known 0', 'known 1', 'known 2'])
  await end('known 0')
  expect(working()).toEqual(['known 1', 'known 2', 'known 3'])
  await end('known 1')
  expect(working()).toEqual(['known 2', 'known 3', 'stranger'])
})

test('one account has two places among the known; what is more stands with the strangers', async () => {
  const { come, end, settle, refused, working } = underWatch()
  for (let at = 0; at < maxAnonymous; at++) come(`stranger ${at}`, stranger)
  for (const name of ['first', 'second', 'third']) come(name, known(7))
  come('other', known(8))
  await settle()
  expect(refused).toEqual(['third RATE_LIMITED 2'])
  expect(working()).toContain('first')
  await end('first')
  await end('second')
  expect(working()).toContain('other')
  // The account has its places back.
  come('fourth', known(7))
  await end('other')
  expect(working()).toContain('fourth')
  expect(refused).toHaveLength(1)
})

test('slow ones come one at a time with a rest between, nobody who is known waits for it, and the answer neither', async () => {
  const rests: (() => void)[] = []
  const { come, end, settle, ended, refused, working } = underWatch(() => new Promise((over) => rests.push(over)))
  for (let at = 0; at < maxAnonymous; at++) come(`slow ${at}`, stranger, true)
  come('late', stranger)
  await settle()
  expect(working()).toEqual(['slow 0'])
  expect(refused).toEqual(['late RATE_LIMITED 13'])
  await end('slow 0')
  expect([ended, working()]).toEqual([['slow 0'], []])
  come('known', known(1))
  await settle()
  expect(working()).toEqual(['known'])
  rests[0]?.()
  await settle()
  expect(working()).toEqual(['known', 'slow 1'])
})
