/**
 * Tests S-48 on the device: the page requests the password, and the same intent continues. A write that was made offline waits for its
 * user.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { confirmPassword } from '#contract/factors.ts'
import { removeService } from '#contract/services.ts'
import { createUser, deleteUser } from '#contract/users.ts'
import { createOutboxActions } from '#request/page/outbox-actions.ts'
import { openInstallation, type Installation } from '#tests/support/device/app.ts'
import { password } from '#tests/support/server/world.ts'

describe('a call that requires the password', () => {
  let installation: Installation
  beforeAll(async () => {
    installation = await openInstallation({ STEP_UP: '1' })
  })
  beforeEach(async () => void (await installation.server.reset()))
  afterAll(() => installation.close())

  const openRemoval = async (confirmStepUp: () => Promise<boolean>) => {
    const tablet = await installation.signInTablet('admin@alpha')
    tablet.ports.stepUp = confirmStepUp
    const id = installation.server.world.users['user@alpha'] ?? 0
    return { tablet, removeUser: () => tablet.api.call(deleteUser, { params: { id } }) }
  }

  it('continues after the password is entered, and leaves nothing waiting', async () => {
    let promptCount = 0
    const { tablet, removeUser } = await openRemoval(async () => {
      promptCount += 1
      return (await tablet.api.call(confirmPassword, { body: { password } })).kind === 'fresh'
    })
    expect((await removeUser()).kind).toBe('fresh')
    expect(promptCount).toBe(1)
    expect(await tablet.countWaiting()).toBe(0)
    expect(JSON.stringify(await tablet.entries())).not.toContain(password)
  })

  it('continues as a long request after the password is entered (fault 17b)', async () => {
    const tablet = await installation.signInTablet('delete@m18')
    let promptCount = 0
    tablet.ports.stepUp = async () => {
      promptCount += 1
      return (await tablet.api.call(confirmPassword, { body: { password } })).kind === 'fresh'
    }
    // The service does not exist. The server looks for it only after the password, so a 404 shows that the password was accepted.
    const result = await tablet.api.call(removeService, { params: { id: 1 } })
    expect(result).toMatchObject({ kind: 'problem', problem: { status: 404 } })
    expect(promptCount).toBe(1)
  })

  it('is kept until the password is entered, then sent, if it is an admin invitation made offline (fault 17b)', async () => {
    const tablet = await installation.signInTablet('admin@alpha')
    tablet.ports.stepUp = async () => false
    tablet.connection.state = 'down'
    const body = { title: 0 as const, name: 'Ann', email: 'ann@alpha.example', admin: true }
    expect((await tablet.api.call(createUser, { body })).kind).toBe('queued')
    tablet.connection.state = 'up'
    await installation.clock.advance(60_000)
    await tablet.tick()
    const [entry] = await tablet.entries()
    expect(entry).toMatchObject({ state: 'refused', problem: { code: 'STEP_UP_REQUIRED' } })
    await tablet.api.call(confirmPassword, { body: { password } })
    expect(await createOutboxActions(tablet.ports).retry(entry?.intent ?? '')).toBe(true)
    await tablet.settle()
    expect(await tablet.entries()).toEqual([])
  })

  it('returns the problem if no password is entered, and can be tried again', async () => {
    const { tablet, removeUser } = await openRemoval(async () => false)
    expect(await removeUser()).toMatchObject({ kind: 'problem', problem: { code: 'STEP_UP_REQUIRED' } })
    expect(await tablet.countWaiting()).toBe(0)
  })

  it('waits until the password is entered if it was made offline, and is then sent', async () => {
    const { tablet, removeUser } = await openRemoval(async () => false)
    tablet.connection.state = 'down'
    expect((await removeUser()).kind).toBe('queued')
    tablet.connection.state = 'up'
    await installation.clock.advance(60_000)
    await tablet.tick()
    const [entry] = await tablet.entries()
    expect(entry).toMatchObject({ state: 'refused', problem: { code: 'STEP_UP_REQUIRED' } })
    await tablet.api.call(confirmPassword, { body: { password } })
    expect(await createOutboxActions(tablet.ports).retry(entry?.intent ?? '')).toBe(true)
    await tablet.settle()
    expect(await tablet.entries()).toEqual([])
  })
})
