/** Reads a list without a connection: after a reload it is searched, sorted and paged on the device. */
import { deepEqual, equal, notDeepEqual, ok } from 'node:assert/strict'
import { waitFor } from '#tests/campaigns/browsers/engine.ts'
import type { Journey } from '#tests/campaigns/browsers/journeys/journey.ts'
import type { PageUser } from '#tests/campaigns/browsers/page-user.ts'
import { people } from '#tests/support/browser/browser.ts'

const names = 'main tbody .lead a'
const pageSize = 10

const toLower = (name: string) => name.toLowerCase()
const isSorted = (rows: string[]) => rows.every((name, index) => toLower(rows[index - 1] ?? '') <= toLower(name))

/** Waits until the list shows other rows, and returns them. */
async function readOtherNames(user: PageUser, rows: string[]): Promise<string[]> {
  await waitFor(
    user.browser,
    'the list shows other rows',
    (selector, previousRows) => {
      const all = [...document.querySelectorAll<HTMLElement>(selector)].map(({ innerText }) => innerText.trim())
      return all.length > 0 && JSON.stringify(all) !== previousRows
    },
    [names, JSON.stringify(rows)],
  )
  return await user.readTexts(names)
}

export const readListOffline: Journey = async (user, { proxy }) => {
  await user.logIn(people.admin)
  await user.openCachedUsers()
  const online = await user.readTexts(names)
  proxy.cut()
  await user.reload()
  await user.see(names)
  await user.waitUntilOffline()
  await user.seeText('Updated', '.freshness')
  deepEqual(await user.readTexts(names), online)
  equal(online.length, pageSize)
  ok(isSorted(online), `sorted by name: ${online.join(', ')}`)

  await user.click({ role: 'button', name: '^Next page' })
  const second = await readOtherNames(user, online)
  ok(isSorted([...online, ...second]), `the second page follows: ${second.join(', ')}`)
  await user.click({ role: 'button', name: '^Page 1$' })
  deepEqual(await readOtherNames(user, second), online)

  await user.click({ css: 'main thead button', name: 'Name' })
  const descending = await readOtherNames(user, online)
  ok(isSorted(descending.toReversed()), `sorted by name, descending: ${descending.join(', ')}`)
  notDeepEqual(descending, online.toReversed())

  const word = online[0]?.split(' ')[0] ?? ''
  await user.fill('.filters input', word)
  const matches = await readOtherNames(user, descending)
  ok(
    matches.every((name) => toLower(name).includes(toLower(word))),
    `found for ${word}: ${matches.join(', ')}`,
  )
}
