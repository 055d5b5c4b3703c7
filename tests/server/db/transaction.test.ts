import { sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import { runInTransaction } from '#server/db/transaction.ts'
import { onBothEngines } from '#tests/support/server/database.ts'
import { addCompany, system } from '#tests/support/server/people.ts'

const getCode = (error: unknown) => (error as { code?: string }).code

onBothEngines('work in a transaction', (app, engine) => {
  it('is done again after a deadlock or a serialization failure, three times at most (protocol 27)', async () => {
    for (const [code, state] of [
      ['serialization_failure', '40001'],
      ['deadlock_detected', '40P01'],
    ] as const) {
      let tryCount = 0
      const buildFailure = () => sql`do $$ begin raise ${sql.raw(code)}; end $$`
      const tryResult = await runInTransaction(app, system, async (db) => {
        if (++tryCount < 4) await buildFailure().execute(db)
        return tryCount
      })
      expect(tryResult).toBe(4)
      let callCount = 0
      const failingTransaction = runInTransaction(app, system, (db) => (callCount++, buildFailure().execute(db)))
      await expect(failingTransaction).rejects.toMatchObject({ code: state })
      expect(callCount).toBe(4)
    }
  })

  it('leaves nothing when it fails in the middle', async () => {
    await expect(
      runInTransaction(app, system, async (db) => {
        await sql`insert into fact values ('a', 'b')`.execute(db)
        throw new Error('stop')
      }),
    ).rejects.toThrow('stop')
    const { rows } = await runInTransaction(app, system, (db) => sql`select * from fact`.execute(db))
    expect(rows).toEqual([])
  })

  it('fails where its end finds that a failure was swallowed on the way', async () => {
    const transaction = runInTransaction(app, system, async (db) => {
      await sql`insert into fact values (${'a'}, ${null})`.execute(db).catch(() => undefined)
      return 'acknowledged'
    })
    await expect(transaction).rejects.toThrow('rolled back instead of committed')
  })

  it('that said it only reads cannot write', async () => {
    const transaction = runInTransaction(
      app,
      system,
      (db) => sql`insert into fact values ('a', 'b')`.execute(db),
      'reading',
    )
    await expect(transaction).rejects.toMatchObject({ code: '25006' })
    await runInTransaction(app, system, (db) => sql`insert into fact values ('a', 'b')`.execute(db))
  })

  it('reads instants and counts as numbers, ids as numbers, flags as booleans', async () => {
    await addCompany(app, 'acme')
    const { rows } = await runInTransaction(app, system, (db) =>
      sql`select id, create_time, count(*) over () as count, true as flag, 1699999999999::bigint as big from company`.execute(
        db,
      ),
    )
    expect(rows).toEqual([{ id: 1, create_time: 1, count: 1, flag: true, big: 1_699_999_999_999 }])
  })

  it('tells the others of this house what it announces', async () => {
    const received: string[] = []
    const unsubscribe = app.database.listen('changes', (message) => received.push(message))
    await expect
      .poll(async () => {
        await app.database.announce('changes', '7:42')
        return received
      })
      .toContain('7:42')
    unsubscribe()
  })

  // PostgreSQL has a connection for each: there is nothing to wait for.
  const itOnOneConnection = engine === 'embedded' ? it : () => undefined
  itOnOneConnection(
    'waits for the connection for 5 s and is 503 then, also where it asks from inside another (protocol 27)',
    async () => {
      let caughtError: unknown = null
      await runInTransaction(app, system, async () => {
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
        try {
          const innerTransaction = runInTransaction(app, system, (db) => sql`select 1`.execute(db)).catch(
            (error: unknown) => {
              caughtError = error
            },
          )
          await vi.advanceTimersByTimeAsync(4999)
          expect(caughtError).toBeNull()
          await vi.advanceTimersByTimeAsync(1)
          await innerTransaction
        } finally {
          vi.useRealTimers()
        }
      })
      expect(caughtError).toMatchObject({ code: 'UNAVAILABLE', status: 503, retryAfterSeconds: 5 })
      expect((await runInTransaction(app, system, (db) => sql`select 1 as one`.execute(db))).rows).toEqual([{ one: 1 }])
    },
  )

  // The embedded engine has no other connection to end this one from.
  const itOnPostgres = engine === 'postgres' ? it : () => undefined
  itOnPostgres('whose connection is lost is 503, and the next one finds another', async () => {
    const lostError = await runInTransaction(app, system, async (db) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
      await sql`select pg_terminate_backend(${rows[0]?.pid}::integer)`.execute(app.database.kysely)
      return sql`select 1`.execute(db)
    }).catch((error: unknown) => error)
    expect(lostError).toMatchObject({ code: 'UNAVAILABLE', status: 503 })
    expect((await runInTransaction(app, system, (db) => sql`select 1 as one`.execute(db))).rows).toEqual([{ one: 1 }])
  })

  it('does not hold up the rest of the server while a query is heavy (R-32)', async () => {
    // As many as take a second.
    const rows = engine === 'embedded' ? 1_000_000 : 4_000_000
    let longestDelayMs = 0
    let lastTickAt = performance.now()
    const timer = setInterval(() => {
      longestDelayMs = Math.max(longestDelayMs, performance.now() - lastTickAt - 10)
      lastTickAt = performance.now()
    }, 10)
    const startedAt = performance.now()
    await runInTransaction(app, system, (db) =>
      sql`select sum(sqrt(n)) from generate_series(1, ${rows}::int) n`.execute(db),
    )
    const durationMs = performance.now() - startedAt
    clearInterval(timer)
    // The figure itself (at most 250 ms) is the bench's; here it is a fraction of the query.
    expect(longestDelayMs).toBeLessThan(Math.max(250, durationMs / 2))
  })

  it('says what the database says about a broken rule, the same on both engines', async () => {
    await addCompany(app, 'acme')
    const errorCode = await addCompany(app, 'ACME').catch(getCode)
    expect(errorCode).toBe('DUP_CODE')
    const rawError = await runInTransaction(app, system, (db) =>
      sql`insert into company (code, name, create_time, update_time) values ('acme', '', 1, 1)`.execute(db),
    ).catch((error: unknown) => error)
    expect(rawError).toMatchObject({ code: '23505', constraint: 'company_code' })
  })
})
