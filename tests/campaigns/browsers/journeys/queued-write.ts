/** Invites a user without a connection, in Chinese. The change waits, also after a reload, and takes effect once when the connection is back. */
import { equal } from 'node:assert/strict'
import ui from '#locales/zh/ui.json' with { type: 'json' }
import type { Journey } from '#tests/campaigns/browsers/journeys/journey.ts'
import { countAuditEntries, findUsers, openAccount } from '#tests/campaigns/browsers/journeys/server-content.ts'
import { people } from '#tests/support/browser/browser.ts'

const [name, email] = ['Journey 王小明', 'journey@globex.example']

export const queueWrite: Journey = async (user, { proxy, portal }) => {
  await user.logIn(people.globex)
  await user.openCachedUsers()
  proxy.cut()
  await user.open('/app/user?user=new')
  await user.fill('[role="dialog"] input[name="name"]', name)
  await user.fill('[role="dialog"] input[name="email"]', email)
  await user.click('[role="dialog"] button[type="submit"]')
  await user.seeNone('[role="dialog"]')
  await user.waitUntilOffline()
  await user.open('/app/outbox')
  await user.seeText(name, '.write')
  await user.reload()
  await user.seeText(name, '.write')
  await user.open(`/app/user?searchText=${email}`)
  await user.seeText(name, 'main tbody')
  await user.seeText(ui.pending.makes.create, 'main tbody')
  proxy.clearFaults()
  await user.waitUntilSent()
  const account = await openAccount(portal, people.globex)
  equal((await findUsers(account, email)).length, 1)
  const keys = proxy.arrivals.flatMap((arrival) => arrival.keys)
  equal(new Set(keys).size, 1, 'one write has arrived')
  equal(await countAuditEntries(account, keys[0] ?? ''), 1)
}
