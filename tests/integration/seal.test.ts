/** One tablet, two people: what the first left unsent is nobody else's, and arrives after they are back. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listUsers, updateCompanyUser } from '#contract/users.ts'
import { wipe } from '#local/outbox/sealed-outbox.ts'
import { sealsIn } from '#local/outbox/sealed-records.ts'
import { openSession } from '#local/session/session.ts'
import { readGate } from '#local/session/session-generation.ts'
import { sendOutbox } from '#request/writes/sender.ts'
import { createProbe } from '#request/writes/reconnect-probe.ts'
import { signOut } from '#request/session/sign-in.ts'
import type { Tablet } from '#tests/support/device.ts'
import { comeIn, openInstallation, type Installation } from '#tests/support/app.ts'

let app: Installation
let tablet: Tablet
let id: number
let companyId: number
const secret = 'Wei Confidential'

beforeAll(async () => {
  app = await openInstallation()
})
afterAll(() => app.close())

beforeEach(async () => {
  const { companies, users } = await app.server.reset()
  id = users['invited@alpha'] ?? 0
  companyId = companies.alpha
  tablet = await app.signedIn('admin@alpha')
  await tablet.api.call(listUsers, { params: { companyId } })
  await tablet.rest()
  tablet.line.state = 'down'
  await tablet.api.call(updateCompanyUser, { params: { id }, body: { name: secret } })
})

const first = () => tablet.device.of({ companyId, userId: app.server.world.users['admin@alpha'] ?? 0 })
/** Everything the first one's database holds, read as anybody could who has the device. */
async function everything(): Promise<string> {
  const db = first()
  const tables = await Promise.all(db.tables.map((table) => table.toArray()))
  const texts = tables.flat().map((row) => {
    const { data } = row as { data?: unknown }
    return JSON.stringify(row) + (data instanceof ArrayBuffer ? new TextDecoder().decode(data) : '')
  })
  return texts.join('\n')
}
const nameOnServer = async () => {
  const asker = await app.signedIn('second@alpha')
  await asker.api.call(listUsers, { params: { companyId } })
  await asker.rest()
  return (await asker.row('users', id))?.row
}

describe('signing out with unsent writes', () => {
  it('leaves nothing on the device that can be read, offline too, neither the writes nor their key (protocol 30, S-84)', async () => {
    expect(await everything()).toContain(secret)
    await signOut(tablet.ports)
    const left = await everything()
    expect(left).not.toContain(secret)
    expect(left).not.toContain('seal_key')
    expect(await first().outbox.count()).toBe(0)
  })

  it('keeps them for their user: after the next sign-in they are there and are sent, with their keys (protocol 30)', async () => {
    const [before] = await tablet.entries()
    await signOut(tablet.ports)
    tablet.reopen()
    tablet.line.state = 'up'
    await comeIn(tablet, 'admin@alpha')
    expect(await tablet.entries()).toMatchObject([{ intent: before?.intent, input: { body: { name: secret } } }])
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    expect(await nameOnServer()).toMatchObject({ name: secret })
  })

  it('opens and sends them also where the sign-in was cut off before it came to that (protocol 30, R-17)', async () => {
    const subject = { companyId, userId: app.server.world.users['admin@alpha'] ?? 0 }
    await wipe(first(), (await readGate(first())) ?? 0)
    // As by a reload in the middle of it: the session is there, what was sealed has not been opened.
    await openSession(tablet.device, subject)
    tablet.line.state = 'up'
    expect(await tablet.entries()).toEqual([])
    expect(await createProbe(tablet.ports)()).toBe('go')
    await sendOutbox(tablet.ports, { hurry: false })
    expect(await sealsIn(first())).toEqual([])
    expect(await tablet.entries()).toHaveLength(1)
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    expect(await nameOnServer()).toMatchObject({ name: secret })
  })

  it('shows and sends another user nothing of them (protocol 30, N-12, W-03, R-08)', async () => {
    await signOut(tablet.ports)
    tablet.line.state = 'up'
    await comeIn(tablet, 'second@alpha')
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    expect(await nameOnServer()).not.toMatchObject({ name: secret })
    await tablet.signOut()
    await comeIn(tablet, 'admin@alpha')
    await tablet.tick()
    expect(await nameOnServer()).toMatchObject({ name: secret })
  })

  it('seals them as well when another simply signs in over the first (protocol 30)', async () => {
    tablet.line.state = 'up'
    await comeIn(tablet, 'second@alpha')
    expect(await everything()).not.toContain(secret)
  })

  it('throws them away when that is wished, and they never arrive', async () => {
    await signOut(tablet.ports, true)
    tablet.line.state = 'up'
    await comeIn(tablet, 'admin@alpha')
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    expect(await nameOnServer()).not.toMatchObject({ name: secret })
  })

  it('in the middle of an answer that is lost: sent again under its key, it takes effect once', async () => {
    tablet.line.state = 'answers lost'
    await tablet.tick()
    await signOut(tablet.ports)
    tablet.line.state = 'up'
    await comeIn(tablet, 'admin@alpha')
    await app.clock.turn(120_000)
    await tablet.tick()
    expect(await tablet.entries()).toEqual([])
    expect(await nameOnServer()).toMatchObject({ name: secret, row_version: 2 })
  })
})
