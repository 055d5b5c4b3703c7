import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { behind } from '#server/db/client.ts'
import { inScope } from '#server/db/scope.ts'
import { onBothEngines } from '#tests/support/database.ts'
import { addCompany, system } from '#tests/support/people.ts'

const codeOf = (error: unknown) => (error as { code?: string }).code

onBothEngines('work in a transaction', (the, engine) => {
  it('is done again after a deadlock or a serialization failure, three times at most (protocol 27)', async () => {
    for (const [code, state] of [
      ['serialization_failure', '40001'],
      ['deadlock_detected', '40P01'],
    ] as const) {
      let tries = 0
      const fail = () => sql`do $$ begin raise ${sql.raw(code)}; end $$`
      const done = await inScope(the, system, async (db) => {
        if (++tries < 4) await fail().execute(db)
        return tries
      })
      expect(done).toBe(4)
      let all = 0
      const given = inScope(the, system, (db) => (all++, fail().execute(db)))
      await expect(given).rejects.toMatchObject({ code: state })
      expect(all).toBe(4)
    }
  })

  it('leaves nothing when it fails in the middle', async () => {
    await expect(
      inScope(the, system, async (db) => {
        await sql`insert into fact values ('a', 'b')`.execute(db)
        throw new Error('stop')
      }),
    ).rejects.toThrow('stop')
    const { rows } = await inScope(the, system, (db) => sql`select * from fact`.execute(db))
    expect(rows).toEqual([])
  })

  it('fails as a whole when a statement fails that nobody waited for, and says why', async () => {
    const work = inScope(the, system, async (db) => {
      await sql`insert into fact values ('first', '')`.execute(db)
      await sql`insert into fact values ('first', '') ${sql.raw(behind)}`.execute(db)
      return 'acknowledged'
    })
    await expect(work).rejects.toMatchObject({ code: '23505', constraint: 'fact_pkey' })
    const later = inScope(the, system, async (db) => {
      await sql`insert into fact values ('a'), ('b') ${sql.raw(behind)}`.execute(db)
      await sql`select 1`.execute(db)
    })
    await expect(later).rejects.toMatchObject({ code: '23502' })
    const { rows } = await inScope(the, system, (db) => sql`select * from fact`.execute(db))
    expect(rows).toEqual([])
  })

  it('has what a statement behind answers once a later one was answered', async () => {
    const told = await inScope(the, system, async (db) => {
      const { rows } = await sql`select 7 as seven ${sql.raw(behind)}`.execute(db)
      expect(rows).toEqual([])
      await sql`select 1`.execute(db)
      expect(rows).toEqual([{ seven: 7 }])
      return (await sql`select 8 as eight ${sql.raw(behind)}`.execute(db)).rows
    })
    expect(told).toEqual([{ eight: 8 }])
  })

  it('is taken back by its own error although a statement before it has failed unheard, and the connection goes on', async () => {
    for (let time = 0; time < 3; time++) {
      const work = inScope(the, system, async (db) => {
        await sql`insert into fact values ('a', null) ${sql.raw(behind)}`.execute(db)
        throw new Error('stop')
      })
      await expect(work).rejects.toThrow('stop')
    }
    await inScope(the, system, (db) => sql`insert into fact values (${'a'}, ${'b'})`.execute(db))
    const { rows } = await inScope(the, system, (db) => sql`select * from fact`.execute(db))
    expect(rows).toEqual([{ name: 'a', value: 'b' }])
  })

  it('fails where its end finds that a failure was swallowed on the way', async () => {
    const work = inScope(the, system, async (db) => {
      await sql`insert into fact values (${'a'}, ${null})`.execute(db).catch(() => undefined)
      return 'acknowledged'
    })
    await expect(work).rejects.toThrow('had failed before its end')
  })

  it('that said it only reads cannot write', async () => {
    const write = inScope(the, system, (db) => sql`insert into fact values ('a', 'b')`.execute(db), 'reading')
    await expect(write).rejects.toMatchObject({ code: '25006' })
    await inScope(the, system, (db) => sql`insert into fact values ('a', 'b')`.execute(db))
  })

  it('goes on when another version of the server changed a table under its prepared statements', async () => {
    const facts = () =>
      inScope(the, system, (db) => db.selectFrom('fact').selectAll().where('name', '<>', 'x').execute())
    // Enough times for every connection to have it prepared.
    for (let time = 0; time < 30; time++) await facts()
    await sql`alter table fact add column extra text`.execute(the.database.kysely)
    expect(await Promise.all([facts(), facts(), facts()])).toEqual([[], [], []])
    await sql`alter table fact drop column extra`.execute(the.database.kysely)
    expect(await facts()).toEqual([])
  })

  it('reads instants and counts as numbers, ids as numbers, flags as booleans', async () => {
    await addCompany(the, 'acme')
    const { rows } = await inScope(the, system, (db) =>
      sql`select id, create_time, count(*) over () as count, true as flag, 1699999999999::bigint as big from company`.execute(
        db,
      ),
    )
    expect(rows).toEqual([{ id: 1, create_time: 1, count: 1, flag: true, big: 1_699_999_999_999 }])
  })

  it('tells the others of this house what it announces', async () => {
    const heard: string[] = []
    const stop = the.database.listen('changes', (message) => heard.push(message))
    await expect
      .poll(async () => {
        await the.database.announce('changes', '7:42')
        return heard
      })
      .toContain('7:42')
    stop()
  })

  // PostgreSQL has a connection for each: there is nothing to wait for.
  const onOneConnection = engine === 'embedded' ? it : () => undefined
  onOneConnection(
    'waits for the connection for 5 s and is 503 then, also where it asks from inside another (protocol 27)',
    async () => {
      const inner = await inScope(the, system, async (outer) => {
        // A connection is taken with the first question.
        await sql`select 1`.execute(outer)
        return inScope(the, system, (db) => sql`select 1`.execute(db)).catch((error: unknown) => error)
      })
      expect(inner).toMatchObject({ code: 'UNAVAILABLE', status: 503, retryAfterSeconds: 5 })
      expect((await inScope(the, system, (db) => sql`select 1 as one`.execute(db))).rows).toEqual([{ one: 1 }])
    },
  )

  it('does not hold up the rest of the server while a query is heavy (R-32)', async () => {
    let longest = 0
    let last = performance.now()
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last - 10)
      last = performance.now()
    }, 10)
    const before = performance.now()
    await inScope(the, system, (db) => sql`select sum(sqrt(n)) from generate_series(1, 4000000) n`.execute(db))
    const took = performance.now() - before
    clearInterval(timer)
    // The figure itself (at most 250 ms) is the bench's; here it is a fraction of the query.
    expect(longest).toBeLessThan(Math.max(250, took / 2))
  })

  it('says what the database says about a broken rule, the same on both engines', async () => {
    await addCompany(the, 'acme')
    const again = await addCompany(the, 'ACME').catch(codeOf)
    expect(again).toBe('DUP_CODE')
    const raw = await inScope(the, system, (db) =>
      sql`insert into company (code, name, create_time, update_time) values ('acme', '', 1, 1)`.execute(db),
    ).catch((error: unknown) => error)
    expect(raw).toMatchObject({ code: '23505', constraint: 'company_code' })
  })
})
