/** Checks what the portal leaves on a device: the scope of its worker, no answers for one user in caches of addresses, lasting storage. */
import { deepEqual, equal } from 'node:assert/strict'
import type { Journey } from '#tests/campaigns/browsers/journeys/journey.ts'
import { people } from '#tests/support/browser/browser.ts'

export const checkDevice: Journey = async (user, { proxy, engine }) => {
  await user.logIn(people.admin)
  await user.openCachedUsers()
  const { scope, hasPreload, cachedPaths } = await user.browser.run(async () => {
    const registration = await navigator.serviceWorker.ready
    const names = await caches.keys()
    const requests = await Promise.all(names.map(async (name) => await (await caches.open(name)).keys()))
    return {
      scope: new URL(registration.scope).pathname,
      hasPreload: (await registration.navigationPreload?.getState())?.enabled ?? false,
      cachedPaths: requests.flat().map(({ url }) => new URL(url).pathname),
    }
  })
  equal(scope, '/saas/')
  equal(hasPreload, false)
  deepEqual(
    cachedPaths.filter((path) => !/^\/(saas|public\/asset)\//.test(path)),
    [],
  )
  proxy.cut()
  await user.renameUser('andrew', 'Andrew Waits')
  await user.open('/app/device')
  await user.seeText('1 change waiting to be sent.')
  // Firefox asks the user, which the profile of these runs answers with yes. WebKitGTK cannot be asked.
  await user.seeText(
    engine === 'firefox' ? 'The browser keeps what is stored here' : 'This browser does not say whether it may clear',
  )
}
