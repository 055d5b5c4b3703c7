import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import type { Caller } from '#domain/access.ts'
import { createUser } from '#contract/users.ts'
import { inTransaction } from '#server/db/transaction.ts'
import { sweepBodies } from '#server/db/idempotency.ts'
import { sweep } from '#server/jobs/delete-expired-data.ts'
import { forbidden, ProblemError } from '#server/problems/problem-error.ts'
import * as users from '#server/use-cases/accounts/users.ts'
import { readOutcome, executeWrite, voidIntent } from '#server/commands/execute.ts'
import { onBothEngines } from '#tests/support/server/database.ts'
import { addAdmin, system } from '#tests/support/server/people.ts'
import { bodyOf, create, outcomeOf, remove, rename, requestOf, stateOf } from '#tests/server/write/requests.ts'

const ann = { name: 'Ann', email: 'ann@acme.example' }

onBothEngines('a keyed write', (the) => {
  let admin: Caller
  beforeEach(async () => {
    admin = await addAdmin(the, 'acme')
  })
  const ask = (intent: string) => readOutcome(the, admin, intent, 'en')
  const withdraw = (intent: string) => voidIntent(the, admin, intent, 'en')

  it('takes effect once, however often it is sent, and answers the same bytes', async () => {
    const key = randomUUID()
    const first = await create(the, admin, ann, { key })
    expect(first).toMatchObject({ status: 200, headers: { 'idempotency-key': key, etag: '"1"' } })
    expect(first.headers['idempotency-outcome']).toMatch(/^done; \d+$/)
    const again = await create(the, admin, ann, { key })
    expect(again.body).toBe(first.body)
    expect(again).toMatchObject({ status: 200, headers: { ...first.headers, 'idempotency-replayed': 'true' } })
    const { users: made, trail } = await stateOf(the)
    expect(made).toHaveLength(1)
    expect(trail).toMatchObject([
      { operation: 'create', status: 0, intent: key, exec_user_name: 'admin', request_id: 'request-1' },
    ])
  })

  it('takes effect once when twenty copies arrive together (protocol 5)', async () => {
    const key = randomUUID()
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(the, admin, ann, { key })))
    const bodies = new Set(answers.filter(({ status }) => status === 200).map(({ body }) => body))
    expect(bodies.size).toBe(1)
    for (const { status, headers } of answers) {
      expect([200, 409]).toContain(status)
      expect(headers['idempotency-key']).toBe(key)
      if (status === 409) expect(headers['retry-after']).toBe('1')
    }
    const { users: made, trail } = await stateOf(the)
    expect([made.length, trail.length]).toEqual([1, 1])
  })

  it('is 422 with other content under the same key, and the first one stands (protocol 8)', async () => {
    const key = randomUUID()
    await create(the, admin, ann, { key })
    for (const other of [
      await create(the, admin, { ...ann, name: 'Bea' }, { key }),
      await create(the, admin, ann, { key, ifMatch: '"1"' }),
      await create(the, admin, ann, { key, forUser: '1:1' }),
    ]) {
      expect(other.status).toBe(422)
      expect(bodyOf(other).errorCode).toBe('IDEMPOTENCY_MISMATCH')
      expect(other.headers['idempotency-outcome']).toBe('refused; schema')
    }
    expect((await stateOf(the)).users).toMatchObject([{ name: 'Ann' }])
  })

  it('is the same content in another order of names (protocol 8)', async () => {
    const key = randomUUID()
    const first = await create(the, admin, ann, { key, body: { name: 'Ann', email: 'a', stray: { x: 1, y: 2 } } })
    const again = await create(the, admin, ann, { key, body: { stray: { y: 2, x: 1 }, email: 'a', name: 'Ann' } })
    expect(again.body).toBe(first.body)
    const other = await create(the, admin, ann, { key, body: { name: 'Ann', email: 'a', stray: { x: 1, y: 3 } } })
    expect(other.status).toBe(422)
  })

  it('belongs to its user: another one may use the same key (N-08)', async () => {
    const key = randomUUID()
    const other = await addAdmin(the, 'globex')
    expect(bodyOf(await create(the, admin, ann, { key })).company_code).toBe('acme')
    expect(bodyOf(await create(the, other, ann, { key })).company_code).toBe('globex')
  })

  it('once refused stays refused under that key, with a failed row in the trail (protocol 6)', async () => {
    await create(the, admin, ann)
    const key = randomUUID()
    const refused = await create(the, admin, ann, { key })
    expect([refused.status, bodyOf(refused).errorCode, outcomeOf(refused)]).toEqual([409, 'DUP_USER', 'refused'])
    const [{ id = 0 } = {}] = (await stateOf(the)).users
    await remove(the, admin, id)
    const again = await create(the, admin, ann, { key })
    expect(again.body).toBe(refused.body)
    expect(again.headers['idempotency-replayed']).toBe('true')
    const { trail } = await stateOf(the)
    expect(trail.map(({ operation, status }) => `${operation} ${status}`)).toEqual([
      'create 0',
      'create -1',
      'delete 0',
    ])
    expect(trail[1]).toMatchObject({ intent: key, info: { problem: 'DUP_USER' } })
  })

  it('leaves nothing of a refused effect, neither rows nor change numbers', async () => {
    const request = requestOf(createUser, admin, {
      params: {},
      query: {},
      body: { title: 0, admin: false, order: false, alert: false, access_level: 0, ...ann },
    })
    const before = await stateOf(the)
    const carried = await executeWrite(the, request, async (context, input) => {
      await users.create(context, input)
      throw new ProblemError('STATE_CONFLICT')
    })
    expect([carried.status, outcomeOf(carried)]).toEqual([409, 'refused'])
    expect((await stateOf(the)).users).toEqual(before.users)
    expect(bodyOf(await create(the, admin, ann)).row_version).toBe(1)
    expect((await stateOf(the)).users[0]?.change).toBe(2)
  })

  it('mended under a new key is the same intent, and that takes effect once (protocol 1)', async () => {
    await create(the, admin, ann)
    const intent = randomUUID()
    expect((await create(the, admin, ann, { key: intent })).status).toBe(409)
    const mended = await create(the, admin, { ...ann, email: 'ann2@acme.example' }, { key: randomUUID(), intent })
    expect([mended.status, outcomeOf(mended)]).toEqual([200, 'done'])
    const late = await create(the, admin, { ...ann, email: 'ann3@acme.example' }, { key: randomUUID(), intent })
    expect([late.status, bodyOf(late).errorCode, outcomeOf(late)]).toEqual([409, 'INTENT_DONE', 'done'])
    expect(bodyOf(late).data).toMatchObject({ row_kind: 'user', answer: { status: 200, body: bodyOf(mended) } })
    expect((await stateOf(the)).users).toHaveLength(2)
  })

  it('of one intent under two keys at once takes effect once', async () => {
    const intent = randomUUID()
    const [one, two] = await Promise.all(
      ['a', 'b'].map((name) =>
        create(the, admin, { name, email: `${name}@acme.example` }, { key: randomUUID(), intent }),
      ),
    )
    expect([one?.status, two?.status].sort()).toEqual([200, 409])
    expect((await stateOf(the)).users).toHaveLength(1)
    expect((await stateOf(the)).trail).toHaveLength(1)
  })

  it('that was done answers so even when the right is gone, or the row (protocol 4)', async () => {
    await create(the, admin, ann)
    const [{ id = 0 } = {}] = (await stateOf(the)).users
    const key = randomUUID()
    const first = await remove(the, admin, id, { key })
    expect([first.status, first.body]).toEqual([204, null])
    const again = await remove(the, admin, id, {
      key,
      permit: () => {
        throw forbidden()
      },
    })
    expect([again.status, outcomeOf(again)]).toEqual([204, 'done'])
  })

  it('that nobody may make is refused and kept, under the words of the reader', async () => {
    const permit = () => {
      throw forbidden()
    }
    const refused = await create(the, admin, ann, { permit, language: 'zh' })
    expect([refused.status, outcomeOf(refused)]).toEqual([403, 'refused'])
    expect(bodyOf(refused).errorMessage).toMatch(/[\u4e00-\u9fff]/)
    expect((await stateOf(the)).trail).toMatchObject([{ status: -1, info: { problem: 'FORBIDDEN' } }])
  })

  it('without a key is served unprotected, with its row in the trail', async () => {
    const first = await create(the, admin, ann, { key: null })
    expect(Object.keys(first.headers)).toEqual(['etag'])
    expect((await create(the, admin, ann, { key: null })).status).toBe(409)
    expect((await stateOf(the)).trail).toMatchObject([
      { status: 0, intent: null },
      { status: -1, intent: null },
    ])
    expect(await inTransaction(the, system, (db) => db.selectFrom('idempotency').selectAll().execute())).toEqual([])
  })

  it('whose service breaks leaves nothing at all, and the same key works afterwards (S-19)', async () => {
    const input = {
      params: {},
      query: {},
      body: { title: 0 as const, admin: false, order: false, alert: false, access_level: 0 as const, ...ann },
    }
    const request = requestOf(createUser, admin, input)
    await expect(
      executeWrite(the, request, async (context) => {
        await users.create(context, input)
        throw new Error('a bug')
      }),
    ).rejects.toThrow('a bug')
    expect(await stateOf(the)).toEqual({ users: [], trail: [] })
    expect((await executeWrite(the, request, users.create)).status).toBe(200)
  })

  it('whose answer its schema refuses has no effect: the bytes are made before the commit (protocol 7)', async () => {
    const input = {
      params: {},
      query: {},
      body: { title: 0 as const, admin: false, order: false, alert: false, access_level: 0 as const, ...ann },
    }
    await expect(
      executeWrite(the, requestOf(createUser, admin, input), async (context) => {
        const { body } = await users.create(context, input)
        return { body: { ...body, status: 7 as never } }
      }),
    ).rejects.toThrow(/schema/)
    expect((await stateOf(the)).users).toEqual([])
  })

  it('can be asked about: done, refused, or never heard of (protocol 13)', async () => {
    const [done, refused] = [randomUUID(), randomUUID()]
    const first = await create(the, admin, ann, { key: done })
    await create(the, admin, ann, { key: refused })
    expect(await ask(done)).toMatchObject({ status: 200, body: first.body })
    const told = await ask(refused)
    expect([told.status, outcomeOf(told)]).toEqual([409, 'refused'])
    await expect(ask(randomUUID())).rejects.toMatchObject({ code: 'INTENT_UNKNOWN', status: 404 })
    const other = await addAdmin(the, 'globex')
    await expect(readOutcome(the, other, done, 'en')).rejects.toMatchObject({ code: 'INTENT_UNKNOWN' })
  })

  it('that was withdrawn never happens, however late a copy comes (protocol 13)', async () => {
    const intent = randomUUID()
    expect(bodyOf(await withdraw(intent))).toEqual({ void: true })
    expect(bodyOf(await withdraw(intent))).toEqual({ void: true })
    for (const late of [
      await create(the, admin, ann, { key: intent }),
      await create(the, admin, ann, { key: randomUUID(), intent }),
    ])
      expect([late.status, bodyOf(late).errorCode, outcomeOf(late)]).toEqual([409, 'INTENT_VOID', 'refused'])
    expect((await stateOf(the)).users).toEqual([])
    expect(bodyOf(await ask(intent)).errorCode).toBe('INTENT_VOID')
  })

  it('that was refused can still be withdrawn, so that no mended copy happens', async () => {
    await create(the, admin, ann)
    const intent = randomUUID()
    await create(the, admin, ann, { key: intent })
    expect(bodyOf(await withdraw(intent))).toEqual({ void: true })
    const mended = await create(the, admin, { ...ann, email: 'b@acme.example' }, { key: randomUUID(), intent })
    expect(bodyOf(mended).errorCode).toBe('INTENT_VOID')
  })

  it('that is done already cannot be withdrawn: its outcome is told instead', async () => {
    const key = randomUUID()
    const first = await create(the, admin, ann, { key })
    expect(await withdraw(key)).toMatchObject({ status: 200, body: first.body })
  })

  it('and its withdrawal at the same moment leave one of the two', async () => {
    for (let round = 0; round < 10; round++) {
      const key = randomUUID()
      const before = (await stateOf(the)).users.length
      const [made, withdrawn] = await Promise.all([
        create(the, admin, { name: 'N', email: `n${round}@acme.example` }, { key }),
        withdraw(key).catch((error: ProblemError) => ({ status: error.status, headers: {}, body: null })),
      ])
      const isMade = (await stateOf(the)).users.length > before
      expect(made.status).toBe(isMade ? 200 : 409)
      if (isMade) expect([null, made.body]).toContain(withdrawn.body)
      else expect(bodyOf(withdrawn)).toEqual({ void: true })
    }
  })

  it('is known for 400 days without its bytes, a create for as long as its row (protocol 19)', async () => {
    const day = 86_400_000
    const key = randomUUID()
    const lateContext = (days: number) => ({ ...the, clock: () => Date.now() + days * day })
    await create(the, admin, ann, { key })
    await sweep(lateContext(36))
    const late = await create(the, admin, ann, { key })
    expect([late.status, bodyOf(late).errorCode, outcomeOf(late)]).toEqual([409, 'INTENT_DONE', 'done'])
    expect(bodyOf(late).data).toMatchObject({ row_kind: 'user', row_version: 1 })
    const [{ id = 0 } = {}] = (await stateOf(the)).users
    const removal = randomUUID()
    await remove(the, admin, id, { key: removal })
    await sweep(lateContext(500))
    expect(bodyOf(await create(the, admin, ann, { key })).errorCode).toBe('INTENT_DONE')
    await expect(ask(removal)).rejects.toMatchObject({ code: 'INTENT_UNKNOWN' })
  })

  it('cannot be rewritten in the idempotency store once it is settled', async () => {
    await create(the, admin, ann)
    const scope = { role: 'portal_app', companyId: admin.companyId } as const
    for (const change of [{ state: 'refused' as const }, { row_id: 99 }, { status: 500 }])
      await expect(
        inTransaction(the, scope, (db) => db.updateTable('idempotency').set(change).execute()),
      ).rejects.toMatchObject({
        code: '42501',
      })
    await expect(inTransaction(the, scope, (db) => db.deleteFrom('idempotency').execute())).rejects.toMatchObject({
      code: '42501',
    })
    expect(await inTransaction(the, system, (db) => sweepBodies(db, Date.now() + 1))).toBe(1)
  })

  it('is refused with 503 and kept by nobody while the disk has no room (R-13)', async () => {
    const full = { ...the, database: { ...the.database, hasFreeSpace: () => false } }
    const key = randomUUID()
    const refused = await create(full, admin, ann, { key })
    expect([refused.status, bodyOf(refused).errorCode, outcomeOf(refused)]).toEqual([503, 'STORAGE_FULL', undefined])
    expect(refused.headers['retry-after']).toBeTruthy()
    expect((await create(the, admin, ann, { key })).status).toBe(200)
  })

  it('is made in the name of nobody where there is no session, and a stranger leaves no failed trail', async () => {
    const input = {
      params: {},
      query: {},
      body: { title: 0 as const, admin: false, order: false, alert: false, access_level: 0 as const, ...ann },
    }
    const request = requestOf(createUser, null, input)
    const act = async () => {
      throw new ProblemError('DUP_CODE')
    }
    const first = await executeWrite(the, request, act)
    const again = await executeWrite(the, request, act)
    expect([first.status, again.headers['idempotency-replayed']]).toEqual([409, 'true'])
    const rows = await inTransaction(the, system, (db) => db.selectFrom('idempotency').selectAll().execute())
    expect(rows).toMatchObject([{ company_id: 0, user_id: 0, state: 'refused' }])
    expect((await stateOf(the)).trail).toEqual([])
  })

  it('of an older version is 412 with the row as it is now, also when it is replayed (protocol 6, 9)', async () => {
    await create(the, admin, ann)
    const [{ id = 0 } = {}] = (await stateOf(the)).users
    await rename(the, admin, id, 'Bea', { ifMatch: '"1"' })
    const key = randomUUID()
    const refused = await rename(the, admin, id, 'Cat', { ifMatch: '"1"', key })
    expect([refused.status, outcomeOf(refused)]).toEqual([412, 'refused'])
    const by = { id: admin.userId }
    expect(bodyOf(refused).data).toMatchObject({ current: { name: 'Bea', row_version: 2 }, changed_by: by })
    await rename(the, admin, id, 'Dot', { ifMatch: '"2"' })
    const again = await rename(the, admin, id, 'Cat', { ifMatch: '"1"', key })
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([412, 'true'])
    expect(bodyOf(again).data).toMatchObject({ current: { name: 'Dot', row_version: 3 }, changed_by: by })
    expect((await stateOf(the)).users).toMatchObject([{ name: 'Dot', row_version: 3 }])
  })

  it('with an If-Match that is no version is refused by its bytes', async () => {
    const refused = await rename(the, admin, 1, 'Bea', { ifMatch: 'yesterday' })
    expect([refused.status, refused.headers['idempotency-outcome']]).toEqual([400, 'refused; schema'])
  })
})
