/** A page that the browser keeps for its Back button, after whoever it is of has signed out elsewhere. */
import { expect, it, vi } from 'vitest'
import { hideWhileAway } from '#app/connection/hide-while-away.ts'
import { thisDevice } from '#local/storage/device.ts'
import { markSignedOut, openSession } from '#local/session/session.ts'
import type { Store } from '#state/store.ts'
import { aUser } from '#tests/support/device/device-database.ts'

const happen = (kind: 'pagehide' | 'pageshow') => dispatchEvent(Object.assign(new Event(kind), { persisted: true }))

it('fault 27a it shows nothing when it comes back, unless the same user is still signed in', async () => {
  const { style } = document.documentElement
  const user = aUser(1)
  await openSession(thisDevice(), { companyId: 1, userId: user.id })
  const reload = vi.fn()
  hideWhileAway({ getState: () => ({ session: { kind: 'signed in', user } }) } as unknown as Store, reload)
  happen('pagehide')
  expect(style.visibility).toBe('hidden')
  happen('pageshow')
  await expect.poll(() => style.visibility).toBe('')

  happen('pagehide')
  await openSession(thisDevice(), { companyId: 1, userId: user.id + 1 })
  happen('pageshow')
  await expect.poll(() => reload.mock.calls.length).toBe(1)
  expect(style.visibility).toBe('hidden')

  await markSignedOut(thisDevice())
  happen('pageshow')
  await expect.poll(() => reload.mock.calls.length).toBe(2)
  expect(style.visibility).toBe('hidden')
  style.visibility = ''
})
