/** Tests a page of the browser's back-forward cache that is restored after its user has signed out elsewhere. */
import { expect, it, vi } from 'vitest'
import { hideWhileAway } from '#app/connection/hide-while-away.ts'
import { getThisDevice } from '#local/storage/device.ts'
import { markSignedOut, openSession } from '#local/session/session.ts'
import type { AppStore } from '#state/store.ts'
import { buildUser } from '#tests/support/device/device-database.ts'

const dispatchPageEvent = (kind: 'pagehide' | 'pageshow') =>
  dispatchEvent(Object.assign(new Event(kind), { persisted: true }))

it('A page restored by the browser shows nothing unless the same user is still signed in (fault 27a)', async () => {
  const { style } = document.documentElement
  const user = buildUser(1)
  await openSession(getThisDevice(), { companyId: user.company_id, userId: user.id })
  const reload = vi.fn()
  hideWhileAway({ getState: () => ({ session: { kind: 'signed in', user } }) } as unknown as AppStore, reload)
  dispatchPageEvent('pagehide')
  expect(style.visibility).toBe('hidden')
  dispatchPageEvent('pageshow')
  await expect.poll(() => style.visibility).toBe('')

  dispatchPageEvent('pagehide')
  await openSession(getThisDevice(), { companyId: user.company_id, userId: user.id + 1 })
  dispatchPageEvent('pageshow')
  await expect.poll(() => reload.mock.calls.length).toBe(1)
  expect(style.visibility).toBe('hidden')

  // The same user acts for another company.
  await openSession(getThisDevice(), { companyId: 2, userId: user.id }, Date.now() + 60_000)
  dispatchPageEvent('pageshow')
  await expect.poll(() => reload.mock.calls.length).toBe(2)
  expect(style.visibility).toBe('hidden')

  await markSignedOut(getThisDevice())
  dispatchPageEvent('pageshow')
  await expect.poll(() => reload.mock.calls.length).toBe(3)
  expect(style.visibility).toBe('hidden')
  style.visibility = ''
})
