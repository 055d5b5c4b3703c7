/** A tab that the browser freezes keeps its locks, and Chromium still delivers messages to it. */
import { expect, it } from 'vitest'
import * as turns from '#request/transport/lock-fallback.ts'
import { createLockHolders } from '#request/transport/lock-holders.ts'
import { webLocks } from '#request/transport/web-locks.ts'

it('fault 41d a frozen tab does not answer for its locks, and answers again when it is resumed', async () => {
  const channel = 'portal-locks'
  const locks = webLocks(turns, async () => undefined, createLockHolders(channel))
  let end = () => {}
  let onHeld = () => {}
  const isHeld = new Promise<void>((resolve) => (onHeld = resolve))
  const held = locks.hold('41d', { waitMs: 0 }, async () => {
    onHeld()
    await new Promise<void>((resolve) => (end = resolve))
  })
  await isHeld
  const other = new BroadcastChannel(channel)
  const answers: unknown[] = []
  other.onmessage = ({ data }) => void answers.push(data)
  const message = { type: 'who holds', name: '41d' }
  dispatchEvent(new Event('freeze'))
  other.postMessage({ ...message, name: '41d' })
  // Heard after the first, in the order in which they were sent.
  const delivered = locks.hold('41d second', { waitMs: 0 }, async () => undefined)
  await expect.poll(() => answers).toEqual([{ type: 'held', name: '41d second' }])
  await delivered
  dispatchEvent(new Event('resume'))
  other.postMessage(message)
  await expect.poll(() => answers.at(-1)).toEqual({ type: 'held', name: '41d' })
  expect(answers).toHaveLength(2)
  end()
  await held
  other.close()
})
