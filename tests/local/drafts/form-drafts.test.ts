/** What stands typed in a long form: kept for its user on this device, and for nobody else. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { unseal } from '#local/outbox/sealed-outbox.ts'
import { markSignedOut, openSession } from '#local/session/session.ts'
import { forgetNotes } from '#local/drafts/tab-drafts.ts'
import { keepTyped, noteTyped, readTyped } from '#local/drafts/form-drafts.ts'
import { company, keptDevice } from '#tests/support/device-database.ts'

const form = 'newContract:saas'
const value = { step: 1, values: { code: 'shop' } }
const me = { companyId: company, userId: 1 }

async function withKey() {
  const kept = await keptDevice()
  const body = JSON.stringify({ seal_key: btoa('k'.repeat(32)) })
  await kept.db.responses.put({ path: getUser.path, body, asOf: 0 })
  return { ...kept, body }
}

it('is kept and forgotten by its name', async () => {
  const { device } = await keptDevice()
  expect(await readTyped(form, device)).toBeNull()
  expect(await keepTyped(form, value, device)).toBe(true)
  expect(await readTyped(form, device)).toMatchObject({ value })
  expect(await readTyped('newContract:mma', device)).toBeNull()
  await keepTyped(form, null, device)
  expect(await readTyped(form, device)).toBeNull()
})

describe('whoever signs out', () => {
  it('takes it along: nothing readable stays, and it is there again for its user', async () => {
    const { device, db, body } = await withKey()
    await keepTyped(form, value, device)
    await markSignedOut(device)
    expect(await readTyped(form, device)).toBeNull()
    expect(await keepTyped(form, value, device)).toBe(false)
    const left = await db.meta.toArray()
    expect(left.filter(({ name }) => name.startsWith('draft:'))).toEqual([])
    expect(left.filter(({ name }) => name.startsWith('sealed:'))).toHaveLength(1)

    await openSession(device, me)
    await db.responses.put({ path: getUser.path, body, asOf: 0 })
    expect(await unseal(db)).toBe(0)
    expect(await readTyped(form, device)).toMatchObject({ value })
  })

  it('finds what was typed since, not what was sealed before', async () => {
    const { device, db, body } = await withKey()
    await keepTyped(form, value, device)
    await markSignedOut(device)
    await openSession(device, me)
    await db.responses.put({ path: getUser.path, body, asOf: 0 })
    await keepTyped(form, { step: 0 }, device)
    await unseal(db)
    expect(await readTyped(form, device)).toMatchObject({ value: { step: 0 } })
  })
})

it("another user's form is none of theirs", async () => {
  const { device } = await withKey()
  await keepTyped(form, value, device)
  await openSession(device, { companyId: company, userId: 2 })
  expect(await readTyped(form, device)).toBeNull()
})

describe('what was typed just before the page went', () => {
  /** As a tab's own storage lists its names. */
  class Shelf {
    getItem(name: string) {
      return Object.hasOwn(this, name) ? (this as unknown as Record<string, string>)[name] : null
    }
    setItem(name: string, text: string) {
      Object.assign(this, { [name]: text })
    }
    removeItem(name: string) {
      Reflect.deleteProperty(this, name)
    }
  }
  let shelf: Shelf
  beforeEach(() => vi.stubGlobal('sessionStorage', (shelf = new Shelf())))
  afterEach(() => void vi.unstubAllGlobals())
  const later = { step: 2, values: { code: 'shop2' } }

  it('is there again at once, and the device has it afterwards', async () => {
    const { device } = await keptDevice()
    await keepTyped(form, value, device)
    await readTyped(form, device)
    noteTyped(form, later)
    expect(await readTyped(form, device)).toMatchObject({ value: later })
    await expect.poll(() => Object.keys(shelf)).toEqual([])
    expect(await readTyped(form, device)).toMatchObject({ value: later })
  })

  it('is forgotten as well, if that was the last of it', async () => {
    const { device } = await keptDevice()
    await keepTyped(form, value, device)
    await readTyped(form, device)
    noteTyped(form, null)
    expect(await readTyped(form, device)).toBeNull()
  })

  it('is noted until the device has it, and what was typed since stays noted', async () => {
    const { device } = await keptDevice()
    await readTyped(form, device)
    const kept = keepTyped(form, value, device)
    expect(Object.keys(shelf)).toHaveLength(1)
    await kept
    expect(Object.keys(shelf)).toEqual([])

    const first = keepTyped(form, value, device)
    noteTyped(form, later)
    await first
    expect(await readTyped(form, device)).toMatchObject({ value: later })
  })

  it('is nobody else’s, and goes with whoever signs out', async () => {
    const { device } = await keptDevice()
    await readTyped(form, device)
    noteTyped(form, value)
    await openSession(device, { companyId: company, userId: 2 })
    expect(await readTyped(form, device)).toBeNull()
    expect(Object.keys(shelf)).toEqual([])
    noteTyped(form, value)
    forgetNotes()
    expect(Object.keys(shelf)).toEqual([])
  })

  it('lasts as long as the page where the tab may store nothing', async () => {
    const { device } = await keptDevice()
    vi.stubGlobal('sessionStorage', undefined)
    await readTyped(form, device)
    noteTyped(form, later)
    expect(await keepTyped(form, value, device)).toBe(true)
    expect(await readTyped(form, device)).toMatchObject({ value })
  })
})
