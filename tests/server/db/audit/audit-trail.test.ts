import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { inTransaction } from '#server/db/transaction.ts'
import { addToTrail, brokenLinks } from '#server/db/audit/audit-trail.ts'
import type { AppContext } from '#server/context.ts'
import { onBothEngines, pastPolicies } from '#tests/support/database.ts'
import { addAdmin, system } from '#tests/support/people.ts'

const note = (operation: string) => ({ code: 'user' as const, operation, info: { UserName: '陈美玲', n: 1 } })

async function story(app: AppContext) {
  const { companyId, userId } = await addAdmin(app, 'acme')
  const entry = { companyId, userId, now: 5, status: 0 as const, intent: null, requestId: 'r' }
  const scope = { role: 'portal_app', companyId } as const
  // Ten writers at once: the chain must not fork.
  await Promise.all(
    Array.from({ length: 10 }, (_, at) => inTransaction(app, scope, (db) => addToTrail(db, entry, [note(`op${at}`)]))),
  )
  await inTransaction(app, scope, (db) => addToTrail(db, entry, [note('first of two'), note('second of two')]))
  return { scope, broken: () => inTransaction(app, system, (db) => brokenLinks(db)) }
}

onBothEngines('the trail', (the) => {
  it('is one chain per company, whoever writes at the same time (S-91)', async () => {
    const { broken } = await story(the)
    const { companyId, userId } = await addAdmin(the, 'globex')
    const entry = { companyId, userId, now: 5, status: -1 as const, intent: 'i', requestId: 'r' }
    await inTransaction(the, system, (db) => addToTrail(db, entry, [note('other company')]))
    expect(await broken()).toEqual([])
    const rows = await inTransaction(the, system, (db) => db.selectFrom('trail').selectAll().orderBy('id').execute())
    expect(rows).toHaveLength(13)
    expect(rows.filter(({ previous }) => previous === '')).toHaveLength(2)
    expect(rows[0]).toMatchObject({ exec_user_name: 'admin', status: 0, info: { UserName: '陈美玲', n: 1 } })
  })

  it('cannot be changed, emptied or thinned by any role of the application', async () => {
    const { scope } = await story(the)
    for (const as of [scope, system])
      for (const statement of [sql`update trail set info = '{}'`, sql`delete from trail`, sql`truncate trail`])
        await expect(inTransaction(the, as, (db) => statement.execute(db))).rejects.toMatchObject({ code: '42501' })
  })

  it.each([
    ['a changed row', sql`update trail set exec_user_name = 'nobody' where id = 6`],
    ['a removed row', sql`delete from trail where id = 6`],
    ['a row with a hash of its own', sql`update trail set code = 'x', hash = encode(sha256('x'), 'hex') where id = 6`],
  ])('shows %s', async (_, tamper) => {
    const { broken } = await story(the)
    await pastPolicies(the.database, (db) => tamper.execute(db))
    // The row itself, or the one that followed it.
    expect([6, 7]).toContain((await broken())[0]?.id)
  })
})
