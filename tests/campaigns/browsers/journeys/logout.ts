/** Logs out, with and without a connection. No data of the company stays on the device, and Back does not show them again. */
import { deepEqual, ok } from 'node:assert/strict'
import type { Journey } from '#tests/campaigns/browsers/journeys/journey.ts'
import { loadRig } from '#tests/campaigns/browsers/stage.ts'
import visitors from '#locales/en/visitors.json' with { type: 'json' }
import { people } from '#tests/support/browser/browser.ts'

const address = /[a-z.]+@acme\.example/g

export const logOut: Journey = async (user, { proxy }) => {
  const readAddresses = async () => {
    await loadRig(user.browser)
    const storage = await user.browser.run(() => window.rig.dumpStorage())
    return [...new Set(storage.match(address) ?? [])]
  }
  for (const isOffline of [false, true]) {
    await user.logIn(people.admin)
    await user.openCachedUsers()
    ok((await readAddresses()).length > 1, 'users are on the device')
    if (isOffline) proxy.cut()
    await user.open('/logout')
    await user.seeText(isOffline ? visitors.logout.offlineText : visitors.logout.doneText)
    proxy.clearFaults()
    deepEqual(await readAddresses(), [])
    await user.browser.run(() => history.back())
    await user.see('input[name="password"]')
    deepEqual(await user.readTexts('main tbody tr'), [])
  }
}
