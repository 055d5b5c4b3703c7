import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changePassword, getCompany, getUser, updateCompany, updateOwnUser, uploadAsset } from '#contract/accounts.ts'
import { toHttpRequest } from '#contract/http-mapping.ts'
import { readLocalFile } from '#local/outbox/files.ts'
import { readSingleRow } from '#local/lists/read-row.ts'
import type { Tablet } from '#tests/support/device/device.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'
import { png } from '#tests/support/uploads/pictures.ts'
import { password } from '#tests/support/server/world.ts'

let installation: Installation
beforeAll(async () => {
  installation = await openInstallation()
})
afterAll(() => installation.close())
beforeEach(() => installation.server.reset())

const ownPath = toHttpRequest(getUser, {}).path
/** Logs in a user without access to lists, so that the device has only rows that the user's own reads returned. */
async function signInTablet(): Promise<{ tablet: Tablet; id: number }> {
  const tablet = await installation.signInTablet('user@alpha')
  const userResult = await tablet.api.call(getUser, {})
  if (userResult.kind !== 'fresh') throw new Error('the own account could not be read')
  return { tablet, id: Number(userResult.output.id) }
}
const readOwnUser = (tablet: Tablet, id: number) => readSingleRow(ownPath, 'users', id, tablet.device)
const picture = async () => new File([new Uint8Array(await png())], 'me.png', { type: 'image/png' })

describe("the user's profile", () => {
  it('shows an offline change of picture and name immediately, and sends it in order later (M43, protocol 22)', async () => {
    const { tablet, id } = await signInTablet()
    tablet.connection.state = 'down'
    const uploadResult = await tablet.api.call(uploadAsset, { body: { avatar: await picture() } })
    if (uploadResult.kind !== 'queued') throw new Error('the picture does not wait')
    const avatar = `~${uploadResult.intent}`
    const base = { rowVersion: 1, values: { name: 'x', avatar: null } }
    await tablet.api.call(updateOwnUser, { params: { id }, body: { name: 'Ana', avatar } }, { base })
    expect(await readOwnUser(tablet, id)).toMatchObject({ row: { name: 'Ana', avatar }, waiting: { action: 'change' } })
    expect((await readLocalFile(uploadResult.intent, tablet.device))?.bytes.byteLength).toBeGreaterThan(0)

    tablet.reopen()
    tablet.connection.state = 'up'
    await tablet.tick()
    await tablet.settle()
    expect(await tablet.countWaiting()).toBe(0)
    const profileView = await readOwnUser(tablet, id)
    expect(profileView).toMatchObject({ row: { name: 'Ana' }, waiting: null })
    const { avatar: name } = (profileView?.row ?? {}) as { avatar?: string }
    expect(name).toMatch(/^[\w-]{32}$/)
    const assetResponse = await installation.server.send({ url: `/public/asset/${name}` })
    expect([assetResponse.statusCode, assetResponse.headers['content-type']]).toEqual([200, 'image/webp'])
  })

  it('refuses a file that is not a picture, and queues nothing', async () => {
    const { tablet } = await signInTablet()
    const file = new File(['<svg onload="alert(1)"/>'], 'me.png', { type: 'image/png' })
    const result = await tablet.api.call(uploadAsset, { body: { avatar: file } })
    expect(result).toMatchObject({ kind: 'problem', problem: { code: 'UNSUPPORTED_TYPE' } })
    expect(await tablet.countWaiting()).toBe(0)
  })

  it('never queues a password: offline it returns NEEDS_CONNECTION', async () => {
    const { tablet } = await signInTablet()
    tablet.connection.state = 'down'
    const body = { orgPwd: password, newPwd: 'Slow-river-under-9-bridges' }
    expect(await tablet.api.call(changePassword, { body })).toMatchObject({
      kind: 'problem',
      problem: { code: 'NEEDS_CONNECTION' },
    })
    expect(await tablet.countWaiting()).toBe(0)
  })
})

describe("the user's company", () => {
  it('is changed offline after one read, shown with the change, and merged with other changes (M35)', async () => {
    const tablet = await installation.signInTablet('admin@alpha')
    const id = installation.server.world.companies.alpha
    const path = toHttpRequest(getCompany, { params: { id } }).path
    await tablet.api.call(getCompany, { params: { id } })
    const viewBefore = await readSingleRow(path, 'companies', id, tablet.device)
    expect(viewBefore).toMatchObject({ row: { id, code: 'alpha', row_version: 1 }, waiting: null })

    tablet.connection.state = 'down'
    const base = { rowVersion: 1, values: { ...(viewBefore?.row as object) } }
    const changeResult = await tablet.api.call(updateCompany, { params: { id }, body: { city: 'Sha Tin' } }, { base })
    expect(changeResult.kind).toBe('queued')
    expect(await readSingleRow(path, 'companies', id, tablet.device)).toMatchObject({
      row: { city: 'Sha Tin', row_version: 1 },
      waiting: { state: 'waiting' },
    })
    const other = await installation.server.signIn('second@alpha')
    await other.send({ method: 'PUT', url: path, payload: { addr3: 'Floor 9' } })

    tablet.connection.state = 'up'
    await tablet.tick()
    await tablet.settle()
    const viewAfter = await readSingleRow(path, 'companies', id, tablet.device)
    expect(viewAfter).toMatchObject({ row: { city: 'Sha Tin', addr3: 'Floor 9', row_version: 3 }, waiting: null })
  })
})
