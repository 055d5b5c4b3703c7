import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changePassword, getCompany, getUser, updateCompany, updateOwnUser, uploadAsset } from '#contract/accounts.ts'
import { toWire } from '#contract/http-mapping.ts'
import { readLocalFile } from '#local/outbox/files.ts'
import { readSingle } from '#local/lists/read-row.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'
import { png } from '#tests/support/uploads/pictures.ts'
import { password } from '#tests/support/server/world.ts'

let app: Installation
beforeAll(async () => {
  app = await openInstallation()
})
afterAll(() => app.close())
beforeEach(() => app.server.reset())

const ownPath = toWire(getUser, {}).path
/** Somebody who may see no list, so that no row of theirs is here but by its own reading. */
async function atHome(): Promise<{ tablet: Tablet; id: number }> {
  const tablet = await app.signedIn('user@alpha')
  const read = await tablet.api.call(getUser, {})
  if (read.kind !== 'fresh') throw new Error('the own account could not be read')
  return { tablet, id: Number(read.output.id) }
}
const own = (tablet: Tablet, id: number) => readSingle(ownPath, 'users', id, tablet.device)
const picture = async () => new File([new Uint8Array(await png())], 'me.png', { type: 'image/png' })

describe('the own profile', () => {
  it('changed offline, picture and name, is seen at once and arrives in order once the line is back (M43, protocol 22)', async () => {
    const { tablet, id } = await atHome()
    tablet.line.state = 'down'
    const sent = await tablet.api.call(uploadAsset, { body: { avatar: await picture() } })
    if (sent.kind !== 'queued') throw new Error('the picture does not wait')
    const avatar = `~${sent.intent}`
    const base = { rowVersion: 1, values: { name: 'x', avatar: null } }
    await tablet.api.call(updateOwnUser, { params: { id }, body: { name: 'Ana', avatar } }, { base })
    expect(await own(tablet, id)).toMatchObject({ row: { name: 'Ana', avatar }, waiting: { action: 'change' } })
    expect((await readLocalFile(sent.intent, tablet.device))?.bytes.byteLength).toBeGreaterThan(0)

    tablet.reopen()
    tablet.line.state = 'up'
    await tablet.tick()
    await tablet.rest()
    expect(await tablet.waiting()).toBe(0)
    const shown = await own(tablet, id)
    expect(shown).toMatchObject({ row: { name: 'Ana' }, waiting: null })
    const { avatar: name } = (shown?.row ?? {}) as { avatar?: string }
    expect(name).toMatch(/^[\w-]{32}$/)
    const served = await app.server.send({ url: `/public/asset/${name}` })
    expect([served.statusCode, served.headers['content-type']]).toEqual([200, 'image/webp'])
  })

  it('with a file that is no picture is refused with its form, and nothing waits', async () => {
    const { tablet } = await atHome()
    const file = new File(['<svg onload="alert(1)"/>'], 'me.png', { type: 'image/png' })
    const answer = await tablet.api.call(uploadAsset, { body: { avatar: file } })
    expect(answer).toMatchObject({ kind: 'problem', problem: { code: 'UNSUPPORTED_TYPE' } })
    expect(await tablet.waiting()).toBe(0)
  })

  it('a password is never kept: without a line it is told so, and nothing waits', async () => {
    const { tablet } = await atHome()
    tablet.line.state = 'down'
    const body = { orgPwd: password, newPwd: 'Slow-river-under-9-bridges' }
    expect(await tablet.api.call(changePassword, { body })).toMatchObject({
      kind: 'problem',
      problem: { code: 'NEEDS_CONNECTION' },
    })
    expect(await tablet.waiting()).toBe(0)
  })
})

describe('the own company', () => {
  it('read once is changed offline, shown with the change, and merged with what somebody else changed (M35)', async () => {
    const tablet = await app.signedIn('admin@alpha')
    const id = app.server.world.companies.alpha
    const path = toWire(getCompany, { params: { id } }).path
    await tablet.api.call(getCompany, { params: { id } })
    const before = await readSingle(path, 'companies', id, tablet.device)
    expect(before).toMatchObject({ row: { id, code: 'alpha', row_version: 1 }, waiting: null })

    tablet.line.state = 'down'
    const base = { rowVersion: 1, values: { ...(before?.row as object) } }
    const changed = await tablet.api.call(updateCompany, { params: { id }, body: { city: 'Sha Tin' } }, { base })
    expect(changed.kind).toBe('queued')
    expect(await readSingle(path, 'companies', id, tablet.device)).toMatchObject({
      row: { city: 'Sha Tin', row_version: 1 },
      waiting: { state: 'waiting' },
    })
    const other = await app.server.signIn('second@alpha')
    await other.send({ method: 'PUT', url: path, payload: { addr3: 'Floor 9' } })

    tablet.line.state = 'up'
    await tablet.tick()
    await tablet.rest()
    const after = await readSingle(path, 'companies', id, tablet.device)
    expect(after).toMatchObject({ row: { city: 'Sha Tin', addr3: 'Floor 9', row_version: 3 }, waiting: null })
  })
})
