import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { Caller } from '#domain/access.ts'
import { endpoint } from '#contract/endpoint.ts'
import { ref } from '#contract/values.ts'
import { executeWrite } from '#server/commands/execute.ts'
import { onBothEngines } from '#tests/support/server/database.ts'
import { addAdmin } from '#tests/support/server/people.ts'
import { bodyOf, create, outcomeOf, remove, rename, requestOf, stateOf } from '#tests/server/write/requests.ts'

const ann = { name: 'Ann', email: 'ann@acme.example' }

/** Takes references wherever one can stand. */
const linked = endpoint({
  name: 'updateLinks',
  method: 'POST',
  path: '/api/links',
  summary: 'For this test',
  who: 'admin',
  matrix: 'Z-10',
  query: z.object({ of: z.optional(ref('user')) }),
  body: z.object({
    one: z.nullable(ref('user')),
    many: z.array(z.object({ user: ref('user'), note: z.string() })),
  }),
  output: z.unknown(),
  offline: 'queue',
})

onBothEngines('a row named by the write that makes it', (the) => {
  let admin: Caller
  beforeEach(async () => {
    admin = await addAdmin(the, 'acme')
  })

  it('can be changed before its id is known, in a chain of writes (protocol 9, 17)', async () => {
    const [made, renamed] = [randomUUID(), randomUUID()]
    await create(the, admin, ann, { key: made })
    const first = await rename(the, admin, `~${made}`, 'Bea', { key: renamed, ifMatch: `"~${made}"` })
    expect([first.status, first.headers.etag]).toEqual([200, '"2"'])
    const second = await rename(the, admin, `~${made}`, 'Cat', { ifMatch: `"~${renamed}"` })
    expect([second.status, second.headers.etag]).toEqual([200, '"3"'])
    expect((await stateOf(the)).users).toMatchObject([{ name: 'Cat', row_version: 3 }])
  })

  it('is 424 and not final while that write has not happened', async () => {
    const [made, key] = [randomUUID(), randomUUID()]
    const early = await rename(the, admin, `~${made}`, 'Bea', { key })
    expect([early.status, bodyOf(early).errorCode, outcomeOf(early)]).toEqual([424, 'NAME_UNKNOWN', undefined])
    expect(early.headers['idempotency-key']).toBe(key)
    await create(the, admin, ann, { key: made })
    expect((await rename(the, admin, `~${made}`, 'Bea', { key })).status).toBe(200)
    expect((await stateOf(the)).trail.map(({ status }) => status)).toEqual([0, 0])
  })

  it('keeps its name when the write was refused first and mended later', async () => {
    await create(the, admin, ann)
    const made = randomUUID()
    await create(the, admin, ann, { key: made })
    expect((await rename(the, admin, `~${made}`, 'Bea')).status).toBe(424)
    await create(the, admin, { ...ann, email: 'b@acme.example' }, { key: randomUUID(), intent: made })
    expect((await rename(the, admin, `~${made}`, 'Bea')).status).toBe(200)
  })

  it("is nobody else's to name", async () => {
    const made = randomUUID()
    await create(the, admin, ann, { key: made })
    const other = await addAdmin(the, 'globex')
    expect((await rename(the, other, `~${made}`, 'Bea')).status).toBe(424)
  })

  it('with a version that another write took meanwhile is a conflict, not a silent overwrite', async () => {
    const made = randomUUID()
    await create(the, admin, ann, { key: made })
    await rename(the, admin, `~${made}`, 'Other', { ifMatch: '"1"' })
    const late = await rename(the, admin, `~${made}`, 'Bea', { ifMatch: `"~${made}"` })
    expect([late.status, bodyOf(late).errorCode]).toEqual([412, 'VERSION_CONFLICT'])
    expect((await rename(the, admin, 1, 'Bea', { ifMatch: `"~${randomUUID()}"` })).status).toBe(424)
  })

  it('names no row of another kind, and no version of another row', async () => {
    const [one, two] = [randomUUID(), randomUUID()]
    await create(the, admin, ann, { key: one })
    await create(the, admin, { ...ann, email: 'b@acme.example' }, { key: two })
    const mixed = await rename(the, admin, `~${one}`, 'Bea', { ifMatch: `"~${two}"` })
    expect(mixed.status).toBe(412)
    expect((await stateOf(the)).users).toMatchObject([{ name: 'Ann' }, { name: 'Ann' }])
    const company = endpoint({
      ...linked,
      query: z.object({ of: z.optional(ref('company')) }),
      queue: undefined as never,
    })
    const input = { params: {}, query: { of: `~${one}` as const }, body: { one: null, many: [] } }
    expect((await executeWrite(the, requestOf(company, admin, input), async () => ({ body: null }))).status).toBe(424)
  })

  it('is found in query and body, at any depth, and only where a reference stands', async () => {
    const made = randomUUID()
    const id = bodyOf(await create(the, admin, ann, { key: made })).id
    const name = `~${made}` as const
    const input = { params: {}, query: { of: name }, body: { one: name, many: [{ user: name, note: name }] } }
    const carried = await executeWrite(the, requestOf(linked, admin, input), async (_, seen) => ({ body: seen }))
    expect(bodyOf(carried)).toEqual({
      params: {},
      query: { of: id },
      body: { one: id, many: [{ user: id, note: name }] },
    })
  })

  it('still answers a repeat after the row is gone', async () => {
    const [made, gone] = [randomUUID(), randomUUID()]
    await create(the, admin, ann, { key: made })
    expect((await remove(the, admin, `~${made}`, { key: gone })).status).toBe(204)
    expect((await remove(the, admin, `~${made}`, { key: gone })).status).toBe(204)
  })
})

onBothEngines('a write that must not overtake another', (the) => {
  let admin: Caller
  beforeEach(async () => {
    admin = await addAdmin(the, 'acme')
  })
  const bea = { name: 'Bea', email: 'bea@acme.example' }

  it('waits while the other has no outcome, and goes on when it is done (protocol 24)', async () => {
    const [before, key] = [randomUUID(), randomUUID()]
    const early = await create(the, admin, bea, { key, after: before })
    expect([early.status, outcomeOf(early)]).toEqual([424, undefined])
    expect(bodyOf(early).data).toMatchObject({ after: before, final: false })
    await create(the, admin, ann, { key: before })
    expect((await create(the, admin, bea, { key, after: before })).status).toBe(200)
  })

  it('is held for good behind one that was refused, until that one is mended', async () => {
    await create(the, admin, ann)
    const [before, key] = [randomUUID(), randomUUID()]
    await create(the, admin, ann, { key: before })
    expect(bodyOf(await create(the, admin, bea, { key, after: before })).data).toMatchObject({ final: true })
    await create(the, admin, { ...ann, email: 'c@acme.example' }, { key: randomUUID(), intent: before })
    expect((await create(the, admin, bea, { key, after: before })).status).toBe(200)
  })

  it('leaves nothing in idempotency store or trail while it waits', async () => {
    await create(the, admin, bea, { after: randomUUID() })
    expect(await stateOf(the)).toEqual({ users: [], trail: [] })
  })
})
