/** What stands typed in a long form: kept for its user on this device, and for nobody else. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { unseal } from '#local/outbox/sealed-outbox.ts'
import { markSignedOut, openSession } from '#local/session/session.ts'
import { forgetNotes } from '#local/drafts/tab-drafts.ts'
import { saveDraft, noteDraft, readDraft } from '#local/drafts/form-drafts.ts'
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
  expect(await readDraft(form, device)).toBeNull()
  expect(await saveDraft(form, value, device)).toBe(true)
  expect(await readDraft(form, device)).toMatchObject({ value })
  expect(await readDraft('newContract:mma', device)).toBeNull()
  await saveDraft(form, null, device)
  expect(await readDraft(form, device)).toBeNull()
})

describe('whoever signs out', () => {
  it('takes it along: nothing readable stays, and it is there again for its user', async () => {
    const { device, db, body } = await withKey()
    await saveDraft(form, value, device)
    await markSignedOut(device)
    expect(await readDraft(form, device)).toBeNull()
    expect(await saveDraft(form, value, device)).toBe(false)
    const left = await db.meta.toArray()
    expect(left.filter(({ name }) => name.startsWith('draft:'))).toEqual([])
    expect(left.filter(({ name }) => name.startsWith('sealed:'))).toHaveLength(1)

    await openSession(device, me)
    await db.responses.put({ path: getUser.path, body, asOf: 0 })
    expect(await unseal(db)).toBe(0)
    expect(await readDraft(form, device)).toMatchObject({ value })
  })

  it('finds what was typed since, not what was sealed before', async () => {
    const { device, db, body } = await withKey()
    await saveDraft(form, value, device)
    await markSignedOut(device)
    await openSession(device, me)
    await db.responses.put({ path: getUser.path, body, asOf: 0 })
    await saveDraft(form, { step: 0 }, device)
    await unseal(db)
    expect(await readDraft(form, device)).toMatchObject({ value: { step: 0 } })
  })
})

it("another user's form is none of theirs", async () => {
  const { device } = await withKey()
  await saveDraft(form, value, device)
  await openSession(device, { companyId: company, userId: 2 })
  expect(await readDraft(form, device)).toBeNull()
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
    await saveDraft(form, value, device)
    await readDraft(form, device)
    noteDraft(form, later)
    expect(await readDraft(form, device)).toMatchObject({ value: later })
    await expect.poll(() => Object.keys(shelf)).toEqual([])
    expect(await readDraft(form, device)).toMatchObject({ value: later })
  })

  it('is forgotten as well, if that was the last of it', async () => {
    const { device } = await keptDevice()
    await saveDraft(form, value, device)
    await readDraft(form, device)
    noteDraft(form, null)
    expect(await readDraft(form, device)).toBeNull()
  })

  it('is noted until the device has it, and what was typed since stays noted', async () => {
    const { device } = await keptDevice()
    await readDraft(form, device)
    const kept = saveDraft(form, value, device)
    expect(Object.keys(shelf)).toHaveLength(1)
    await kept
    expect(Object.keys(shelf)).toEqual([])

    const first = saveDraft(form, value, device)
    noteDraft(form, later)
    await first
    expect(await readDraft(form, device)).toMatchObject({ value: later })
  })

  it('is nobody else’s, and goes with whoever signs out', async () => {
    const { device } = await keptDevice()
    await readDraft(form, device)
    noteDraft(form, value)
    await openSession(device, { companyId: company, userId: 2 })
    expect(await readDraft(form, device)).toBeNull()
    expect(Object.keys(shelf)).toEqual([])
    noteDraft(form, value)
    forgetNotes()
    expect(Object.keys(shelf)).toEqual([])
  })

  it('lasts as long as the page where the tab may store nothing', async () => {
    const { device } = await keptDevice()
    vi.stubGlobal('sessionStorage', undefined)
    await readDraft(form, device)
    noteDraft(form, later)
    expect(await saveDraft(form, value, device)).toBe(true)
    expect(await readDraft(form, device)).toMatchObject({ value })
  })
})
