import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import type { Caller } from '#domain/access.ts'
import { createUser } from '#contract/users.ts'
import { runInTransaction } from '#server/db/transaction.ts'
import { deleteOldBodies } from '#server/db/idempotency-store.ts'
import { deleteExpiredData } from '#server/jobs/delete-expired-data.ts'
import { createForbiddenProblem, ProblemError } from '#server/problems/problem-error.ts'
import * as users from '#server/use-cases/accounts/users.ts'
import { readOutcome, executeWrite, voidIntent } from '#server/commands/execute.ts'
import type { StoredResponse } from '#server/commands/write-command.ts'
import { onBothEngines } from '#tests/support/server/database.ts'
import { addAdmin, system } from '#tests/support/server/people.ts'
import {
  parseBody,
  executeCreateUser,
  getOutcome,
  executeDeleteUser,
  executeRenameUser,
  buildWriteRequest,
  readState,
} from '#tests/server/write/requests.ts'

const annInput = { name: 'Ann', email: 'ann@acme.example' }
const createAnnInput = {
  params: {},
  query: {},
  body: { title: 0 as const, admin: false, order: false, alert: false, access_level: 0 as const, ...annInput },
}
const readStatusCodeAndOutcome = (response: StoredResponse) => [
  response.status,
  parseBody(response).errorCode,
  getOutcome(response),
]

onBothEngines('a write', (app) => {
  let admin: Caller
  beforeEach(async () => {
    admin = await addAdmin(app, 'acme')
  })
  const readIntentOutcome = (intent: string) => readOutcome(app, admin, intent, 'en')
  const withdrawIntent = (intent: string) => voidIntent(app, admin, intent, 'en')

  it('takes effect once when it is repeated, and returns the same bytes', async () => {
    const key = randomUUID()
    const firstResponse = await executeCreateUser(app, admin, annInput, { key })
    expect(firstResponse).toMatchObject({ status: 200, headers: { 'idempotency-key': key, etag: '"1"' } })
    expect(firstResponse.headers['idempotency-outcome']).toMatch(/^done; \d+$/)
    const repeatedResponse = await executeCreateUser(app, admin, annInput, { key })
    expect(repeatedResponse.body).toBe(firstResponse.body)
    expect(repeatedResponse).toMatchObject({
      status: 200,
      headers: { ...firstResponse.headers, 'idempotency-replayed': 'true' },
    })
    const { users: storedUsers, trail } = await readState(app)
    expect(storedUsers).toHaveLength(1)
    expect(trail).toMatchObject([
      { operation: 'create', status: 0, intent: key, exec_user_name: 'admin', request_id: 'request-1' },
    ])
  })

  it('takes effect once when twenty copies arrive together (protocol 5)', async () => {
    const key = randomUUID()
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => executeCreateUser(app, admin, annInput, { key })),
    )
    const bodies = new Set(responses.filter(({ status }) => status === 200).map(({ body }) => body))
    expect(bodies.size).toBe(1)
    for (const { status, headers } of responses) {
      expect([200, 409]).toContain(status)
      expect(headers['idempotency-key']).toBe(key)
      if (status === 409) expect(headers['retry-after']).toBe('1')
    }
    const { users: storedUsers, trail } = await readState(app)
    expect([storedUsers.length, trail.length]).toEqual([1, 1])
  })

  it('returns 422 for other content under the same key, and keeps the first write (protocol 8)', async () => {
    const key = randomUUID()
    await executeCreateUser(app, admin, annInput, { key })
    for (const otherResponse of [
      await executeCreateUser(app, admin, { ...annInput, name: 'Bea' }, { key }),
      await executeCreateUser(app, admin, annInput, { key, ifMatch: '"1"' }),
      await executeCreateUser(app, admin, annInput, { key, forUser: '1:1' }),
    ]) {
      expect(otherResponse.status).toBe(422)
      expect(parseBody(otherResponse).errorCode).toBe('IDEMPOTENCY_MISMATCH')
      expect(otherResponse.headers['idempotency-outcome']).toBe('refused; schema')
    }
    expect((await readState(app)).users).toMatchObject([{ name: 'Ann' }])
  })

  it('is treated as the same content if its fields are in another order (protocol 8)', async () => {
    const key = randomUUID()
    const firstResponse = await executeCreateUser(app, admin, annInput, {
      key,
      body: { name: 'Ann', email: 'a', unknown: { x: 1, y: 2 } },
    })
    const repeatedResponse = await executeCreateUser(app, admin, annInput, {
      key,
      body: { unknown: { y: 2, x: 1 }, email: 'a', name: 'Ann' },
    })
    expect(repeatedResponse.body).toBe(firstResponse.body)
    const otherResponse = await executeCreateUser(app, admin, annInput, {
      key,
      body: { name: 'Ann', email: 'a', unknown: { x: 1, y: 3 } },
    })
    expect(otherResponse.status).toBe(422)
  })

  it('belongs to its user: another user can use the same key (N-08)', async () => {
    const key = randomUUID()
    const otherAdmin = await addAdmin(app, 'globex')
    expect(parseBody(await executeCreateUser(app, admin, annInput, { key })).company_code).toBe('acme')
    expect(parseBody(await executeCreateUser(app, otherAdmin, annInput, { key })).company_code).toBe('globex')
  })

  it('stays refused under its key, with a failed entry in the audit trail (protocol 6)', async () => {
    await executeCreateUser(app, admin, annInput)
    const key = randomUUID()
    const refusedResponse = await executeCreateUser(app, admin, annInput, { key })
    expect(readStatusCodeAndOutcome(refusedResponse)).toEqual([409, 'DUP_USER', 'refused'])
    const [{ id = 0 } = {}] = (await readState(app)).users
    await executeDeleteUser(app, admin, id)
    const repeatedResponse = await executeCreateUser(app, admin, annInput, { key })
    expect(repeatedResponse.body).toBe(refusedResponse.body)
    expect(repeatedResponse.headers['idempotency-replayed']).toBe('true')
    const { trail } = await readState(app)
    expect(trail.map(({ operation, status }) => `${operation} ${status}`)).toEqual([
      'create 0',
      'create -1',
      'delete 0',
    ])
    expect(trail[1]).toMatchObject({ intent: key, info: { problem: 'DUP_USER' } })
  })

  it('leaves neither rows nor change numbers if it is refused', async () => {
    const request = buildWriteRequest(createUser, admin, createAnnInput)
    const stateBefore = await readState(app)
    const response = await executeWrite(app, request, async (context, input) => {
      await users.create(context, input)
      throw new ProblemError('STATE_CONFLICT')
    })
    expect([response.status, getOutcome(response)]).toEqual([409, 'refused'])
    expect((await readState(app)).users).toEqual(stateBefore.users)
    expect(parseBody(await executeCreateUser(app, admin, annInput)).row_version).toBe(1)
    expect((await readState(app)).users[0]?.change).toBe(2)
  })

  it('has the same intent when it is corrected under a new key, and takes effect once (protocol 1)', async () => {
    await executeCreateUser(app, admin, annInput)
    const intent = randomUUID()
    expect((await executeCreateUser(app, admin, annInput, { key: intent })).status).toBe(409)
    const fixedResponse = await executeCreateUser(
      app,
      admin,
      { ...annInput, email: 'ann2@acme.example' },
      { key: randomUUID(), intent },
    )
    expect([fixedResponse.status, getOutcome(fixedResponse)]).toEqual([200, 'done'])
    const lateResponse = await executeCreateUser(
      app,
      admin,
      { ...annInput, email: 'ann3@acme.example' },
      { key: randomUUID(), intent },
    )
    expect(readStatusCodeAndOutcome(lateResponse)).toEqual([409, 'INTENT_DONE', 'done'])
    expect(parseBody(lateResponse).data).toMatchObject({
      row_kind: 'user',
      answer: { status: 200, body: parseBody(fixedResponse) },
    })
    expect((await readState(app)).users).toHaveLength(2)
  })

  it('takes effect once if one intent is sent concurrently under two keys', async () => {
    const intent = randomUUID()
    const [firstResponse, secondResponse] = await Promise.all(
      ['a', 'b'].map((name) =>
        executeCreateUser(app, admin, { name, email: `${name}@acme.example` }, { key: randomUUID(), intent }),
      ),
    )
    expect([firstResponse?.status, secondResponse?.status].sort()).toEqual([200, 409])
    expect((await readState(app)).users).toHaveLength(1)
    expect((await readState(app)).trail).toHaveLength(1)
  })

  it('returns its stored response even if the right was removed or the row was deleted (protocol 4)', async () => {
    await executeCreateUser(app, admin, annInput)
    const [{ id = 0 } = {}] = (await readState(app)).users
    const key = randomUUID()
    const firstResponse = await executeDeleteUser(app, admin, id, { key })
    expect([firstResponse.status, firstResponse.body]).toEqual([204, null])
    const repeatedResponse = await executeDeleteUser(app, admin, id, {
      key,
      checkPermission: () => {
        throw createForbiddenProblem()
      },
    })
    expect([repeatedResponse.status, getOutcome(repeatedResponse)]).toEqual([204, 'done'])
  })

  it("is refused without permission, and the refusal is stored, in the reader's language", async () => {
    const checkPermission = () => {
      throw createForbiddenProblem()
    }
    const refusedResponse = await executeCreateUser(app, admin, annInput, { checkPermission, language: 'zh' })
    expect([refusedResponse.status, getOutcome(refusedResponse)]).toEqual([403, 'refused'])
    expect(parseBody(refusedResponse).errorMessage).toMatch(/[\u4e00-\u9fff]/)
    expect((await readState(app)).trail).toMatchObject([{ status: -1, info: { problem: 'FORBIDDEN' } }])
  })

  it('is executed without protection against repetition if it has no key, with its audit entry', async () => {
    const firstResponse = await executeCreateUser(app, admin, annInput, { key: null })
    expect(Object.keys(firstResponse.headers)).toEqual(['etag'])
    expect((await executeCreateUser(app, admin, annInput, { key: null })).status).toBe(409)
    expect((await readState(app)).trail).toMatchObject([
      { status: 0, intent: null },
      { status: -1, intent: null },
    ])
    expect(await runInTransaction(app, system, (db) => db.selectFrom('idempotency').selectAll().execute())).toEqual([])
  })

  it('leaves nothing if its use case throws, and works with the same key afterwards (S-19)', async () => {
    const request = buildWriteRequest(createUser, admin, createAnnInput)
    await expect(
      executeWrite(app, request, async (context) => {
        await users.create(context, createAnnInput)
        throw new Error('a bug')
      }),
    ).rejects.toThrow('a bug')
    expect(await readState(app)).toEqual({ users: [], trail: [] })
    expect((await executeWrite(app, request, users.create)).status).toBe(200)
  })

  it('has no effect if its response violates the schema, checked before the commit (protocol 7)', async () => {
    await expect(
      executeWrite(app, buildWriteRequest(createUser, admin, createAnnInput), async (context) => {
        const { body } = await users.create(context, createAnnInput)
        return { body: { ...body, status: 7 as never } }
      }),
    ).rejects.toThrow(/schema/)
    expect((await readState(app)).users).toEqual([])
  })

  it('can be queried by intent: done, refused or unknown (protocol 13)', async () => {
    const [doneIntent, refusedIntent] = [randomUUID(), randomUUID()]
    const firstResponse = await executeCreateUser(app, admin, annInput, { key: doneIntent })
    await executeCreateUser(app, admin, annInput, { key: refusedIntent })
    expect(await readIntentOutcome(doneIntent)).toMatchObject({ status: 200, body: firstResponse.body })
    const outcomeResponse = await readIntentOutcome(refusedIntent)
    expect([outcomeResponse.status, getOutcome(outcomeResponse)]).toEqual([409, 'refused'])
    await expect(readIntentOutcome(randomUUID())).rejects.toMatchObject({ code: 'INTENT_UNKNOWN', status: 404 })
    const otherAdmin = await addAdmin(app, 'globex')
    await expect(readOutcome(app, otherAdmin, doneIntent, 'en')).rejects.toMatchObject({ code: 'INTENT_UNKNOWN' })
  })

  it('never takes effect after its withdrawal, even if a copy arrives late (protocol 13)', async () => {
    const intent = randomUUID()
    expect(parseBody(await withdrawIntent(intent))).toEqual({ void: true })
    expect(parseBody(await withdrawIntent(intent))).toEqual({ void: true })
    for (const lateResponse of [
      await executeCreateUser(app, admin, annInput, { key: intent }),
      await executeCreateUser(app, admin, annInput, { key: randomUUID(), intent }),
    ])
      expect(readStatusCodeAndOutcome(lateResponse)).toEqual([409, 'INTENT_VOID', 'refused'])
    expect((await readState(app)).users).toEqual([])
    expect(parseBody(await readIntentOutcome(intent)).errorCode).toBe('INTENT_VOID')
  })

  it('can be withdrawn after a refusal, so that no corrected copy takes effect', async () => {
    await executeCreateUser(app, admin, annInput)
    const intent = randomUUID()
    await executeCreateUser(app, admin, annInput, { key: intent })
    expect(parseBody(await withdrawIntent(intent))).toEqual({ void: true })
    const fixedResponse = await executeCreateUser(
      app,
      admin,
      { ...annInput, email: 'b@acme.example' },
      { key: randomUUID(), intent },
    )
    expect(parseBody(fixedResponse).errorCode).toBe('INTENT_VOID')
  })

  it('cannot be withdrawn once it is done, and the withdrawal returns its outcome', async () => {
    const key = randomUUID()
    const firstResponse = await executeCreateUser(app, admin, annInput, { key })
    expect(await withdrawIntent(key)).toMatchObject({ status: 200, body: firstResponse.body })
  })

  it('either happens or is withdrawn if both arrive concurrently', async () => {
    for (let round = 0; round < 10; round++) {
      const key = randomUUID()
      const userCount = (await readState(app)).users.length
      const [createResponse, withdrawResponse] = await Promise.all([
        executeCreateUser(app, admin, { name: 'N', email: `n${round}@acme.example` }, { key }),
        withdrawIntent(key).catch((error: ProblemError) => ({ status: error.status, headers: {}, body: null })),
      ])
      const isCreated = (await readState(app)).users.length > userCount
      expect(createResponse.status).toBe(isCreated ? 200 : 409)
      if (isCreated) expect([null, createResponse.body]).toContain(withdrawResponse.body)
      else expect(parseBody(withdrawResponse)).toEqual({ void: true })
    }
  })

  it('is remembered for 400 days without its response, and a create while its row exists (protocol 19)', async () => {
    const dayMs = 86_400_000
    const key = randomUUID()
    const createLateApp = (days: number) => ({ ...app, clock: () => Date.now() + days * dayMs })
    await executeCreateUser(app, admin, annInput, { key })
    await deleteExpiredData(createLateApp(36))
    const lateResponse = await executeCreateUser(app, admin, annInput, { key })
    expect(readStatusCodeAndOutcome(lateResponse)).toEqual([409, 'INTENT_DONE', 'done'])
    expect(parseBody(lateResponse).data).toMatchObject({ row_kind: 'user', row_version: 1 })
    const [{ id = 0 } = {}] = (await readState(app)).users
    const deleteIntent = randomUUID()
    await executeDeleteUser(app, admin, id, { key: deleteIntent })
    await deleteExpiredData(createLateApp(500))
    expect(parseBody(await executeCreateUser(app, admin, annInput, { key })).errorCode).toBe('INTENT_DONE')
    await expect(readIntentOutcome(deleteIntent)).rejects.toMatchObject({ code: 'INTENT_UNKNOWN' })
  })

  it('cannot be changed in the idempotency store once it is settled', async () => {
    await executeCreateUser(app, admin, annInput)
    const scope = { role: 'portal_app', companyId: admin.companyId } as const
    for (const change of [{ state: 'refused' as const }, { row_id: 99 }, { status: 500 }])
      await expect(
        runInTransaction(app, scope, (db) => db.updateTable('idempotency').set(change).execute()),
      ).rejects.toMatchObject({
        code: '42501',
      })
    await expect(runInTransaction(app, scope, (db) => db.deleteFrom('idempotency').execute())).rejects.toMatchObject({
      code: '42501',
    })
    expect(await runInTransaction(app, system, (db) => deleteOldBodies(db, Date.now() + 1))).toBe(1)
  })

  it('is refused with 503 and not stored if the disk is full (R-13)', async () => {
    const fullApp = { ...app, database: { ...app.database, hasFreeSpace: () => false } }
    const key = randomUUID()
    const refusedResponse = await executeCreateUser(fullApp, admin, annInput, { key })
    expect(readStatusCodeAndOutcome(refusedResponse)).toEqual([503, 'STORAGE_FULL', undefined])
    expect(refusedResponse.headers['retry-after']).toBeTruthy()
    expect((await executeCreateUser(app, admin, annInput, { key })).status).toBe(200)
  })

  it('is stored without a user if there is no session, and its refusal leaves no audit entry', async () => {
    const request = buildWriteRequest(createUser, null, createAnnInput)
    const throwDuplicate = async () => {
      throw new ProblemError('DUP_CODE')
    }
    const firstResponse = await executeWrite(app, request, throwDuplicate)
    const repeatedResponse = await executeWrite(app, request, throwDuplicate)
    expect([firstResponse.status, repeatedResponse.headers['idempotency-replayed']]).toEqual([409, 'true'])
    const rows = await runInTransaction(app, system, (db) => db.selectFrom('idempotency').selectAll().execute())
    expect(rows).toMatchObject([{ company_id: 0, user_id: 0, state: 'refused' }])
    expect((await readState(app)).trail).toEqual([])
  })

  it('returns 412 with the current row for an older version, also on replay (protocol 6, 9)', async () => {
    await executeCreateUser(app, admin, annInput)
    const [{ id = 0 } = {}] = (await readState(app)).users
    await executeRenameUser(app, admin, id, 'Bea', { ifMatch: '"1"' })
    const key = randomUUID()
    const refusedResponse = await executeRenameUser(app, admin, id, 'Cat', { ifMatch: '"1"', key })
    expect([refusedResponse.status, getOutcome(refusedResponse)]).toEqual([412, 'refused'])
    const changedBy = { id: admin.userId }
    expect(parseBody(refusedResponse).data).toMatchObject({
      current: { name: 'Bea', row_version: 2 },
      changed_by: changedBy,
    })
    await executeRenameUser(app, admin, id, 'Dot', { ifMatch: '"2"' })
    const repeatedResponse = await executeRenameUser(app, admin, id, 'Cat', { ifMatch: '"1"', key })
    expect([repeatedResponse.status, repeatedResponse.headers['idempotency-replayed']]).toEqual([412, 'true'])
    expect(parseBody(repeatedResponse).data).toMatchObject({
      current: { name: 'Dot', row_version: 3 },
      changed_by: changedBy,
    })
    expect((await readState(app)).users).toMatchObject([{ name: 'Dot', row_version: 3 }])
  })

  it('is refused by the schema if its If-Match is not a version', async () => {
    const refusedResponse = await executeRenameUser(app, admin, 1, 'Bea', { ifMatch: 'yesterday' })
    expect([refusedResponse.status, refusedResponse.headers['idempotency-outcome']]).toEqual([400, 'refused; schema'])
  })
})
