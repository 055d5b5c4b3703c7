/** Tests the link with which the provider's first admin sets a password: all nodes together have one. */
import { expect, test } from 'vitest'
import { PROVIDER } from '#domain/access.ts'
import { userStatus } from '#domain/accounts/users.ts'
import { createFirstAdminLink, replaceFirstAdminLink } from '#server/composition/first-admin.ts'
import type { AppContext } from '#server/context/context.ts'
import { findCompanyByCode } from '#server/db/accounts/companies.ts'
import { findKeyHolder, spendKey } from '#server/db/accounts/one-time-keys.ts'
import { writeClusterFact } from '#server/db/cluster/nodes.ts'
import { readAsSystem, writeAsSystem } from '#server/db/transaction.ts'
import { onBothEngines } from '#tests/support/server/database.ts'

const hourMs = 3_600_000
const firstNode = { runId: 'run-1', hostName: 'app-1' }
const secondNode = { runId: 'run-1', hostName: 'app-2' }

const getKey = (link: string) => /\/saas\/sys\/activate\?otk=([\w-]{43})$/.exec(link)?.[1] ?? ''

async function createLink(app: AppContext, node = firstNode): Promise<string> {
  const result = await createFirstAdminLink(app, node)
  if (result?.kind !== 'new') throw new Error(`no new link: ${JSON.stringify(result)}`)
  return result.link
}

const findHolder = (app: AppContext, link: string, now: number) =>
  readAsSystem(app, (db) => findKeyHolder(db, getKey(link), 'activate', now))

onBothEngines('the link of the first administrator', (app) => {
  test('is created by the first node, and the next nodes only say who has printed it', async () => {
    const now = Date.now()
    const link = await createLink({ ...app, clock: () => now })
    expect(await createFirstAdminLink(app, secondNode)).toEqual({
      kind: 'printed',
      hostName: 'app-1',
      time: now,
      until: now + 72 * hourMs,
    })
    expect(await findHolder(app, link, now)).not.toBeNull()
  })

  test('is created once if many nodes start at the same time', async () => {
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, index) => createFirstAdminLink(app, { runId: 'run-1', hostName: `app-${index}` })),
    )
    const newLinks = results.flatMap((result) => (result?.kind === 'new' ? [result.link] : []))
    expect(newLinks).toHaveLength(1)
    expect(await findHolder(app, newLinks[0] ?? '', Date.now())).not.toBeNull()
    expect(results.filter((result) => result?.kind === 'printed')).toHaveLength(5)
  })

  test('is new at each start while no other node runs, and the former link no longer works', async () => {
    const firstLink = await createLink(app)
    const secondLink = await createLink(app, { runId: 'run-2', hostName: 'app-1' })
    expect(await findHolder(app, firstLink, Date.now())).toBeNull()
    expect(await findHolder(app, secondLink, Date.now())).not.toBeNull()
  })

  test('is new after 72 hours, and after it was used without result', async () => {
    const now = Date.now()
    const firstLink = await createLink({ ...app, clock: () => now })
    const almostExpiredContext = { ...app, clock: () => now + 72 * hourMs - 1 }
    expect(await createFirstAdminLink(almostExpiredContext, secondNode)).toMatchObject({ kind: 'printed' })
    const laterContext = { ...app, clock: () => now + 72 * hourMs }
    const secondLink = await createLink(laterContext, secondNode)
    expect(secondLink).not.toBe(firstLink)
    await writeAsSystem(app, (db) => spendKey(db, getKey(secondLink), laterContext.clock()))
    await createLink(laterContext)
  })

  test("can be replaced by an operator, and other nodes then name the operator's machine", async () => {
    await writeAsSystem(app, (db) => writeClusterFact(db, { runId: 'run-1', settings: {} }))
    const firstLink = await createLink(app)
    const newLink = (await replaceFirstAdminLink(app, 'console')) ?? ''
    expect(getKey(newLink)).toHaveLength(43)
    expect(await findHolder(app, firstLink, Date.now())).toBeNull()
    expect(await findHolder(app, newLink, Date.now())).not.toBeNull()
    expect(await createFirstAdminLink(app, secondNode)).toMatchObject({ kind: 'printed', hostName: 'console' })
  })

  test('can be created by an operator before the first start', async () => {
    const link = (await replaceFirstAdminLink(app, 'console')) ?? ''
    expect(await findHolder(app, link, Date.now())).not.toBeNull()
  })

  test('is not created if the provider has an active administrator', async () => {
    await createLink(app)
    await writeAsSystem(app, async (db) => {
      const company = await findCompanyByCode(db, PROVIDER)
      await db
        .updateTable('portal_user')
        .set({ status: userStatus.activated })
        .where('company_id', '=', company?.id ?? 0)
        .execute()
    })
    expect(await createFirstAdminLink(app, secondNode)).toBeNull()
    expect(await replaceFirstAdminLink(app, 'console')).toBeNull()
  })
})
