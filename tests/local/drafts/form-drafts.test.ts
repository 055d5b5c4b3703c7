/** Tests that values typed in a long form are stored on the device for their user only. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { getUser } from '#contract/accounts.ts'
import { unseal } from '#local/outbox/unseal.ts'
import { markSignedOut, openSession } from '#local/session/session.ts'
import type { Device } from '#local/storage/device.ts'
import { forgetNotes } from '#local/drafts/draft-notes.ts'
import { deleteDraft, noteDraft, putDraftAside, readDrafts, saveDraft } from '#local/drafts/form-drafts.ts'
import { companyId, openTestDevice } from '#tests/support/device/device-database.ts'

const form = 'newContract:saas'
const value = { step: 1, values: { code: 'shop' } }
const readDraft = async (name: string, device: Device) => (await readDrafts(name, null, device)).ownDraft
const ownSubject = { companyId, userId: 1 }

async function openDeviceWithKey() {
  const testDevice = await openTestDevice()
  const body = JSON.stringify({ seal_key: btoa('k'.repeat(32)) })
  await testDevice.db.responses.put({ path: getUser.path, body, asOf: 0 })
  return { ...testDevice, body }
}

it('A draft is stored and deleted by its name', async () => {
  const { device } = await openTestDevice()
  expect(await readDraft(form, device)).toBeNull()
  expect(await saveDraft(form, value, undefined, device)).toBe(true)
  expect(await readDraft(form, device)).toMatchObject({ value })
  expect(await readDraft('newContract:mma', device)).toBeNull()
  await saveDraft(form, null, undefined, device)
  expect(await readDraft(form, device)).toBeNull()
})

describe('drafts at a sign-out', () => {
  it('are sealed, so that nothing of them is readable, and are restored for their user', async () => {
    const { device, db, body } = await openDeviceWithKey()
    await saveDraft(form, value, undefined, device)
    await markSignedOut(device)
    expect(await readDraft(form, device)).toBeNull()
    expect(await saveDraft(form, value, undefined, device)).toBe(false)
    const metaRows = await db.meta.toArray()
    expect(metaRows.filter(({ name }) => name.startsWith('draft:'))).toEqual([])
    expect(metaRows.filter(({ name }) => name.startsWith('sealed:'))).toHaveLength(1)

    await openSession(device, ownSubject)
    await db.responses.put({ path: getUser.path, body, asOf: 0 })
    expect(await unseal(db)).toBe(0)
    expect(await readDraft(form, device)).toMatchObject({ value })
  })

  it('do not replace what the user has typed since then', async () => {
    const { device, db, body } = await openDeviceWithKey()
    await saveDraft(form, value, undefined, device)
    await markSignedOut(device)
    await openSession(device, ownSubject)
    await db.responses.put({ path: getUser.path, body, asOf: 0 })
    await saveDraft(form, { step: 0 }, undefined, device)
    await unseal(db)
    expect(await readDraft(form, device)).toMatchObject({ value: { step: 0 } })
  })
})

it('Another user cannot read a draft', async () => {
  const { device } = await openDeviceWithKey()
  await saveDraft(form, value, undefined, device)
  await openSession(device, { companyId, userId: 2 })
  expect(await readDraft(form, device)).toBeNull()
})

/** Simulates the session storage of a tab, which lists its names as own properties. */
class TabStorage {
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

describe('a draft that is noted just before the page closes', () => {
  let tabStorage: TabStorage
  beforeEach(() => vi.stubGlobal('sessionStorage', (tabStorage = new TabStorage())))
  afterEach(() => void vi.unstubAllGlobals())
  const listNotedNames = () => Object.keys(tabStorage).filter((name) => name.startsWith('portal.typed:'))
  const laterValue = { step: 2, values: { code: 'shop2' } }

  it('is readable at once, and is stored on the device afterwards', async () => {
    const { device } = await openTestDevice()
    await saveDraft(form, value, undefined, device)
    await readDraft(form, device)
    noteDraft(form, laterValue)
    expect(await readDraft(form, device)).toMatchObject({ value: laterValue })
    await expect.poll(() => listNotedNames()).toEqual([])
    expect(await readDraft(form, device)).toMatchObject({ value: laterValue })
  })

  it('is deleted if its last value is null', async () => {
    const { device } = await openTestDevice()
    await saveDraft(form, value, undefined, device)
    await readDraft(form, device)
    noteDraft(form, null)
    expect(await readDraft(form, device)).toBeNull()
  })

  it('is noted until it is stored, and later changes stay noted', async () => {
    const { device } = await openTestDevice()
    await readDraft(form, device)
    const saving = saveDraft(form, value, undefined, device)
    expect(listNotedNames()).toHaveLength(1)
    await saving
    expect(listNotedNames()).toEqual([])

    const firstSaving = saveDraft(form, value, undefined, device)
    noteDraft(form, laterValue)
    await firstSaving
    expect(await readDraft(form, device)).toMatchObject({ value: laterValue })
  })

  it('is not readable for other users, and is deleted at the sign-out', async () => {
    const { device } = await openTestDevice()
    await readDraft(form, device)
    noteDraft(form, value)
    await openSession(device, { companyId, userId: 2 })
    expect(await readDraft(form, device)).toBeNull()
    expect(listNotedNames()).toEqual([])
    noteDraft(form, value)
    forgetNotes()
    expect(listNotedNames()).toEqual([])
  })

  it('lasts as long as the page if the tab cannot store anything', async () => {
    const { device } = await openTestDevice()
    vi.stubGlobal('sessionStorage', undefined)
    await readDraft(form, device)
    noteDraft(form, laterValue)
    expect(await saveDraft(form, value, undefined, device)).toBe(true)
    expect(await readDraft(form, device)).toMatchObject({ value })
  })
})

describe('drafts of earlier visits (fault 4c)', () => {
  let tabStorage: TabStorage
  beforeEach(() => vi.stubGlobal('sessionStorage', (tabStorage = new TabStorage())))
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
  /** Simulates a new tab. Each tab has its own session storage. */
  const openTab = (visitId: string) => {
    tabStorage = new TabStorage()
    tabStorage.setItem('portal.visit', visitId)
    vi.stubGlobal('sessionStorage', tabStorage)
  }
  const readAllDrafts = (device: Device, formerForm: string | null = null) => readDrafts(form, formerForm, device)
  const toDraftValues = ({ ownDraft, earlierDrafts }: Awaited<ReturnType<typeof readDrafts>>) => ({
    own: ownDraft?.value ?? null,
    earlier: earlierDrafts.map((draft) => draft.value),
  })

  it("include drafts of another tab, but not the tab's own draft after a reload", async () => {
    const { device } = await openTestDevice()
    openTab('first')
    await saveDraft(form, value, '7', device)
    expect(await readAllDrafts(device)).toMatchObject({ ownDraft: { value, base: '7' }, earlierDrafts: [] })
    openTab('second')
    expect(await readAllDrafts(device)).toMatchObject({ ownDraft: null, earlierDrafts: [{ value, base: '7' }] })
  })

  it('are not overwritten by another tab, and are deleted only under their own name', async () => {
    const { device } = await openTestDevice()
    openTab('first')
    await saveDraft(form, 'first', undefined, device)
    openTab('second')
    await saveDraft(form, 'second', undefined, device)
    await putDraftAside(form, 'aside', undefined, device)
    const drafts = await readAllDrafts(device)
    expect(toDraftValues(drafts).own).toBe('second')
    expect(toDraftValues(drafts).earlier.toSorted()).toEqual(['aside', 'first'])
    await saveDraft(form, null, undefined, device)
    for (const { name, value: draftValue } of drafts.earlierDrafts)
      if (draftValue === 'aside') await deleteDraft(name, device)
    expect(toDraftValues(await readAllDrafts(device))).toEqual({ own: null, earlier: ['first'] })
  })

  it('include drafts of the same tab from an earlier day, even if they were only noted', async () => {
    const { device } = await openTestDevice()
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 10, 27, 12) })
    openTab('first')
    await saveDraft(form, 'stored', undefined, device)
    vi.setSystemTime(new Date(2026, 10, 28, 12))
    expect(toDraftValues(await readAllDrafts(device))).toEqual({ own: null, earlier: ['stored'] })
    noteDraft(form, 'noted')
    vi.setSystemTime(new Date(2026, 10, 29, 12))
    await saveDraft('other form', 'x', undefined, device)
    expect(toDraftValues(await readAllDrafts(device))).toEqual({ own: null, earlier: ['noted', 'stored'] })
    await saveDraft(form, 'typed anew', undefined, device)
    expect(toDraftValues(await readAllDrafts(device))).toEqual({ own: 'typed anew', earlier: ['noted', 'stored'] })
  })

  it('include drafts of an earlier build under the former name of the form', async () => {
    const { device, db } = await openTestDevice()
    openTab('first')
    await db.meta.put({ name: `draft:${form}`, value: 'of an earlier build', at: 5 })
    await db.meta.put({ name: 'draft:former', value: 'former name', at: 4 })
    await db.meta.put({ name: `draft:${form}2@x`, value: 'of another form', at: 6 })
    expect(toDraftValues(await readAllDrafts(device, 'former'))).toEqual({
      own: null,
      earlier: ['of an earlier build', 'former name'],
    })
  })
})
