/** Transactions that are one message from beginning to end: alone or over a connection that others share. */
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { behind } from '#server/db/client.ts'
import { inScope } from '#server/db/scope.ts'
import { onBothEngines } from '#tests/support/database.ts'
import { system } from '#tests/support/people.ts'

onBothEngines('a transaction in one message', (the, engine) => {
  const put = (name: string) =>
    inScope(the, system, async (db) => {
      await sql`insert into fact values (${name}, '') ${sql.raw(behind)}`.execute(db)
      await sql`insert into fact values (${`${name} too`}, '') ${sql.raw(behind)}`.execute(db)
    })
  const stored = async () => {
    const { rows } = await inScope(the, system, (db) => sql<{ name: string }>`select name from fact`.execute(db))
    return rows.map(({ name }) => name).toSorted()
  }

  it('is there, whole, when it is told to be', async () => {
    await put('one')
    expect(await stored()).toEqual(['one', 'one too'])
  })

  it('that fails is undone, and those sent before and behind it are not', async () => {
    await put('taken too')
    const told = await Promise.allSettled(['a', 'b', 'taken', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map(put))
    expect(told.filter(({ status }) => status === 'rejected')).toHaveLength(1)
    expect(told[2]).toMatchObject({ status: 'rejected', reason: { code: '23505' } })
    expect(await stored()).toHaveLength(20)
    expect(await stored()).not.toContain('h too too')
  })

  it('of which nothing has left is given up without asking anything', async () => {
    const stop = inScope(the, system, async (db) => {
      await sql`insert into fact values ('never', '') ${sql.raw(behind)}`.execute(db)
      throw new Error('stop')
    })
    await expect(stop).rejects.toThrow('stop')
    expect(await stored()).toEqual([])
  })

  it('puts on its role, and leaves none to the next', async () => {
    const as = (role: 'portal_app' | 'portal_system', companyId: number) =>
      inScope(the, { role, companyId }, async (db) => {
        await sql`insert into fact values (${`${role} ${companyId}`},
          current_user || ' ' || current_setting('app.company')) ${sql.raw(behind)}`.execute(db)
      })
    await expect(as('portal_app', 7)).rejects.toMatchObject({ code: '42501' })
    await Promise.all([as('portal_system', 0), put('beside')])
    const { rows } = await inScope(the, system, (db) =>
      sql`select value from fact where name like 'portal_system%'`.execute(db),
    )
    expect(rows).toEqual([{ value: 'portal_system ' }])
    const bare = await the.database.kysely.connection().execute((db) => sql`select current_user as who`.execute(db))
    expect(bare.rows).not.toEqual([{ who: 'portal_system' }])
  })

  if (engine === 'embedded') return

  it('that waits for a lock does not keep everybody else waiting', async () => {
    await put('warm')
    await inScope(the, system, async (holder) => {
      await sql`insert into fact values ('held', '')`.execute(holder)
      let isWaiting = true
      const waits = put('held').catch((error: unknown) => {
        isWaiting = false
        return error
      })
      // Until it is late. What was sent right behind it would wait along.
      await new Promise((wake) => setTimeout(wake, 100))
      for (let n = 0; n < 20; n++) await put(`meanwhile ${n}`)
      expect(isWaiting).toBe(true)
      // The lock is given up after 2 s (protocol 27).
      expect(await waits).toMatchObject({ code: '55P03' })
    })
    expect(await stored()).toContain('meanwhile 19')
  })

  it('whose connection is lost says so, and the next one finds another', async () => {
    await put('before')
    await put('before again')
    await the.database.kysely.connection().execute((db) =>
      sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(db),
    )
    for (let n = 0; n < 10; n++) {
      const told = await put(`after ${n}`).catch((error: unknown) => error)
      if (told !== undefined) expect(told).toMatchObject({ code: 'UNAVAILABLE' })
    }
    await put('at last')
    expect(await stored()).toContain('at last too')
  })
})
