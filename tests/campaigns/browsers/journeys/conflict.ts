/** Renames a user without a connection while somebody else renames the same user. The person compares both and decides. */
import { equal } from 'node:assert/strict'
import type { Journey } from '#tests/campaigns/browsers/journeys/journey.ts'
import { call, findUsers, openAccount } from '#tests/campaigns/browsers/journeys/server-content.ts'
import { people } from '#tests/support/browser/browser.ts'

const email = 'andrew'
const [mine, theirs] = ['Andrew of Mine', 'Andrew of Theirs']

export const resolveConflict: Journey = async (user, { proxy, portal }) => {
  const account = await openAccount(portal, people.admin)
  const [andrew] = await findUsers(account, email)
  if (!andrew) throw new Error(`no user ${email}`)
  await user.logIn(people.admin)
  await user.openCachedUsers()
  proxy.cut()
  await user.renameUser(email, mine)
  await user.waitUntilOffline()
  await call(account, `/api/m18s/company-user/${andrew.id}`, { method: 'PUT', body: { name: theirs } })
  proxy.clearFaults()
  await user.open('/app/outbox')
  await user.seeText('Conflict', '.write')
  await user.click({ role: 'button', name: '^Compare and choose$' })
  await user.seeText(mine, '[role="dialog"]')
  await user.seeText(theirs, '[role="dialog"]')
  await user.click({ css: '[role="dialog"] label', name: mine })
  await user.click({ role: 'button', name: '^Save this choice$' })
  await user.seeText('Done', '.receipts')
  const [decided] = await findUsers(account, email)
  equal(decided?.name, mine)
}
