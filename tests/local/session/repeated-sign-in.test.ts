import { describe, expect, it } from 'vitest'
import { getRowTable } from '#local/storage/database.ts'
import { endSession, openSession, readSession, wipeFormerUsers } from '#local/session/session.ts'
import { readSessionGeneration } from '#local/session/session-generation.ts'
import { buildUser, companyId, openTestDevice } from '#tests/support/device/device-database.ts'

const subject = { companyId, userId: 1 }

describe('a sign-in while the former session of the same user is being cleared', () => {
  it.each(Array.from({ length: 16 }, (_, index) => index))(
    'opens a session that can store rows, at any moment (%i)',
    async (moment) => {
      const { device, db } = await openTestDevice()
      const session = await readSession(device)
      const sessionEnd = endSession(device, session?.generation ?? 0)
      for (let index = 0; index < moment; index++) await new Promise((resolve) => setImmediate(resolve))
      await openSession(device, subject)
      await sessionEnd
      expect(await readSession(device)).toMatchObject(subject)
      expect(await readSessionGeneration(db)).not.toBeNull()

      // Rows that are stored now are deleted at the next sign-out.
      const row = { id: 5, scope: companyId, version: 1, asOf: 1, row: buildUser(5), folds: {} }
      await getRowTable(db, 'users').put(row)
      const secondSession = await readSession(device)
      await endSession(device, secondSession?.generation ?? 0)
      await wipeFormerUsers(device)
      expect(await getRowTable(db, 'users').count()).toBe(0)
      expect(await readSessionGeneration(db)).toBeNull()
    },
  )
})
