import { describe, expect, it } from 'vitest'
import { rowsOf } from '#local/storage/database.ts'
import { endSession, openSession, readSession, sweep } from '#local/session/session.ts'
import { readGate } from '#local/session/session-generation.ts'
import { aUser, company, keptDevice } from '#tests/support/device/device-database.ts'

const subject = { companyId: company, userId: 1 }

describe('a user who signs in again while their former session is being cleared away', () => {
  it.each(Array.from({ length: 16 }, (_, at) => at))('finds the gate open, at any moment (%i)', async (moment) => {
    const { device, db } = await keptDevice()
    const session = await readSession(device)
    const clearing = endSession(device, session?.generation ?? 0)
    for (let at = 0; at < moment; at++) await new Promise((go) => setImmediate(go))
    await openSession(device, subject)
    await clearing
    expect(await readSession(device)).toMatchObject(subject)
    expect(await readGate(db)).not.toBeNull()

    // What is stored from here on goes with them when they leave.
    const row = { id: 5, scope: company, version: 1, asOf: 1, row: aUser(5), folds: {} }
    await rowsOf(db, 'users').put(row)
    const now = await readSession(device)
    await endSession(device, now?.generation ?? 0)
    await sweep(device)
    expect(await rowsOf(db, 'users').count()).toBe(0)
    expect(await readGate(db)).toBeNull()
  })
})
