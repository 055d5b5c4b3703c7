import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { Caller } from '#domain/access.ts'
import { defineEndpoint } from '#contract/endpoint.ts'
import { ref } from '#contract/values.ts'
import { executeWrite } from '#server/commands/execute.ts'
import { onBothEngines } from '#tests/support/server/database.ts'
import { addAdmin } from '#tests/support/server/people.ts'
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

const linkingEndpoint = defineEndpoint({
  name: 'updateLinks',
  method: 'POST',
  path: '/api/links',
  summary: 'For this test',
  access: 'admin',
  matrix: 'Z-10',
  query: z.object({ of: z.optional(ref('user')) }),
  body: z.object({
    one: z.nullable(ref('user')),
    many: z.array(z.object({ user: ref('user'), note: z.string() })),
  }),
  output: z.unknown(),
  offline: 'queue',
})

onBothEngines('a reference to the write that creates a row', (app) => {
  let admin: Caller
  beforeEach(async () => {
    admin = await addAdmin(app, 'acme')
  })

  it('A chain of writes changes a row before its id is known (protocol 9, 17)', async () => {
    const [createIntent, renameIntent] = [randomUUID(), randomUUID()]
    await executeCreateUser(app, admin, annInput, { key: createIntent })
    const firstResponse = await executeRenameUser(app, admin, `~${createIntent}`, 'Bea', {
      key: renameIntent,
      ifMatch: `"~${createIntent}"`,
    })
    expect([firstResponse.status, firstResponse.headers.etag]).toEqual([200, '"2"'])
    const secondResponse = await executeRenameUser(app, admin, `~${createIntent}`, 'Cat', {
      ifMatch: `"~${renameIntent}"`,
    })
    expect([secondResponse.status, secondResponse.headers.etag]).toEqual([200, '"3"'])
    expect((await readState(app)).users).toMatchObject([{ name: 'Cat', row_version: 3 }])
  })

  it('A write that refers to an intent without outcome gets 424, and can be sent again later', async () => {
    const [createIntent, key] = [randomUUID(), randomUUID()]
    const earlyResponse = await executeRenameUser(app, admin, `~${createIntent}`, 'Bea', { key })
    expect([earlyResponse.status, parseBody(earlyResponse).errorCode, getOutcome(earlyResponse)]).toEqual([
      424,
      'NAME_UNKNOWN',
      undefined,
    ])
    expect(earlyResponse.headers['idempotency-key']).toBe(key)
    await executeCreateUser(app, admin, annInput, { key: createIntent })
    expect((await executeRenameUser(app, admin, `~${createIntent}`, 'Bea', { key })).status).toBe(200)
    expect((await readState(app)).trail.map(({ status }) => status)).toEqual([0, 0])
  })

  it('A reference works after the refused create was corrected and sent again', async () => {
    await executeCreateUser(app, admin, annInput)
    const createIntent = randomUUID()
    await executeCreateUser(app, admin, annInput, { key: createIntent })
    expect((await executeRenameUser(app, admin, `~${createIntent}`, 'Bea')).status).toBe(424)
    await executeCreateUser(
      app,
      admin,
      { ...annInput, email: 'b@acme.example' },
      { key: randomUUID(), intent: createIntent },
    )
    expect((await executeRenameUser(app, admin, `~${createIntent}`, 'Bea')).status).toBe(200)
  })

  it('A reference to an intent of another company returns 424', async () => {
    const createIntent = randomUUID()
    await executeCreateUser(app, admin, annInput, { key: createIntent })
    const otherAdmin = await addAdmin(app, 'globex')
    expect((await executeRenameUser(app, otherAdmin, `~${createIntent}`, 'Bea')).status).toBe(424)
  })

  it('A write based on a referenced version gets VERSION_CONFLICT if another write replaced the version', async () => {
    const createIntent = randomUUID()
    await executeCreateUser(app, admin, annInput, { key: createIntent })
    await executeRenameUser(app, admin, `~${createIntent}`, 'Other', { ifMatch: '"1"' })
    const lateResponse = await executeRenameUser(app, admin, `~${createIntent}`, 'Bea', {
      ifMatch: `"~${createIntent}"`,
    })
    expect([lateResponse.status, parseBody(lateResponse).errorCode]).toEqual([412, 'VERSION_CONFLICT'])
    expect((await executeRenameUser(app, admin, 1, 'Bea', { ifMatch: `"~${randomUUID()}"` })).status).toBe(424)
  })

  it('A reference to a row of another kind or a version of another row is refused', async () => {
    const [firstIntent, secondIntent] = [randomUUID(), randomUUID()]
    await executeCreateUser(app, admin, annInput, { key: firstIntent })
    await executeCreateUser(app, admin, { ...annInput, email: 'b@acme.example' }, { key: secondIntent })
    const response = await executeRenameUser(app, admin, `~${firstIntent}`, 'Bea', { ifMatch: `"~${secondIntent}"` })
    expect(response.status).toBe(412)
    expect((await readState(app)).users).toMatchObject([{ name: 'Ann' }, { name: 'Ann' }])
    const company = defineEndpoint({
      ...linkingEndpoint,
      query: z.object({ of: z.optional(ref('company')) }),
      queue: undefined as never,
    })
    const input = { params: {}, query: { of: `~${firstIntent}` as const }, body: { one: null, many: [] } }
    expect(
      (await executeWrite(app, buildWriteRequest(company, admin, input), async () => ({ body: null }))).status,
    ).toBe(424)
  })

  it('References are resolved in query and body at any depth, and only in reference fields', async () => {
    const createIntent = randomUUID()
    const id = parseBody(await executeCreateUser(app, admin, annInput, { key: createIntent })).id
    const name = `~${createIntent}` as const
    const input = { params: {}, query: { of: name }, body: { one: name, many: [{ user: name, note: name }] } }
    const response = await executeWrite(
      app,
      buildWriteRequest(linkingEndpoint, admin, input),
      async (_, parsedInput) => ({ body: parsedInput }),
    )
    expect(parseBody(response)).toEqual({
      params: {},
      query: { of: id },
      body: { one: id, many: [{ user: id, note: name }] },
    })
  })

  it('A delete by reference can be repeated after its row was deleted', async () => {
    const [createIntent, deleteIntent] = [randomUUID(), randomUUID()]
    await executeCreateUser(app, admin, annInput, { key: createIntent })
    expect((await executeDeleteUser(app, admin, `~${createIntent}`, { key: deleteIntent })).status).toBe(204)
    expect((await executeDeleteUser(app, admin, `~${createIntent}`, { key: deleteIntent })).status).toBe(204)
  })
})

onBothEngines('a write with a predecessor', (app) => {
  let admin: Caller
  beforeEach(async () => {
    admin = await addAdmin(app, 'acme')
  })
  const beaInput = { name: 'Bea', email: 'bea@acme.example' }

  it('A write waits until its predecessor has an outcome (protocol 24)', async () => {
    const [predecessor, key] = [randomUUID(), randomUUID()]
    const earlyResponse = await executeCreateUser(app, admin, beaInput, { key, predecessorIntent: predecessor })
    expect([earlyResponse.status, getOutcome(earlyResponse)]).toEqual([424, undefined])
    expect(parseBody(earlyResponse).data).toMatchObject({ after: predecessor, final: false })
    await executeCreateUser(app, admin, annInput, { key: predecessor })
    expect((await executeCreateUser(app, admin, beaInput, { key, predecessorIntent: predecessor })).status).toBe(200)
  })

  it('A write is blocked by a refused predecessor until the predecessor is corrected', async () => {
    await executeCreateUser(app, admin, annInput)
    const [predecessor, key] = [randomUUID(), randomUUID()]
    await executeCreateUser(app, admin, annInput, { key: predecessor })
    expect(
      parseBody(await executeCreateUser(app, admin, beaInput, { key, predecessorIntent: predecessor })).data,
    ).toMatchObject({ final: true })
    await executeCreateUser(
      app,
      admin,
      { ...annInput, email: 'c@acme.example' },
      { key: randomUUID(), intent: predecessor },
    )
    expect((await executeCreateUser(app, admin, beaInput, { key, predecessorIntent: predecessor })).status).toBe(200)
  })

  it('A waiting write leaves nothing in the idempotency store or the audit trail', async () => {
    await executeCreateUser(app, admin, beaInput, { predecessorIntent: randomUUID() })
    expect(await readState(app)).toEqual({ users: [], trail: [] })
  })
})
