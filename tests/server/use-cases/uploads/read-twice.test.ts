/** An upload that two nodes read at the same time. The map of current readings is per process, so each node reads it. */
import { readdir } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { Caller } from '#domain/access.ts'
import { createMappFault } from '#domain/catalogue/mapp.ts'
import { runForCompany } from '#server/db/transaction.ts'
import { readUploadedMapp } from '#server/use-cases/uploads/read-mapp.ts'
import { storeMappReading } from '#server/use-cases/uploads/store-mapp.ts'
import { findUpload, forgetUpload } from '#server/use-cases/uploads/uploads.ts'
import { packBareApp } from '#tests/support/uploads/packages.ts'
import { listUploads, sendPackage, setUpUploads } from '#tests/support/uploads/uploads.ts'

describe('storeMappReading', () => {
  const fixture = setUpUploads('embedded')

  async function uploadPackage() {
    const { app } = fixture.server
    expect((await sendPackage(fixture.staff, await packBareApp())).statusCode).toBe(200)
    const [id = ''] = await readdir(fixture.folder)
    const upload = { id }
    const caller = { userId: fixture.staff.userId, companyId: fixture.server.world.companies.m18 } as Caller
    const reading = await readUploadedMapp(app, upload.id)
    const storeReading = (secondReading: typeof reading) =>
      runForCompany(app, caller, (db) =>
        storeMappReading(db, { id: upload.id, user_id: caller.userId }, secondReading, app.clock()),
      )
    return { upload, caller, reading, storeReading }
  }

  it('keeps the file of an upload that another node has read', async () => {
    const { reading, storeReading } = await uploadPackage()
    expect(reading).toHaveProperty('content')
    expect(await storeReading(reading)).toEqual({ fault: null, isNew: false, unusedIds: [] })
    expect(await storeReading({ fault: createMappFault('NO_ZIP') })).toMatchObject({ fault: null, unusedIds: [] })
    expect(await listUploads(fixture.staff)).toHaveLength(1)
  })

  it('returns the file of an upload that was deleted meanwhile as unused', async () => {
    const { upload, caller, reading, storeReading } = await uploadPackage()
    await forgetUpload(fixture.server.app, caller, upload.id)
    expect(await findUpload(fixture.server.app, caller, upload.id)).toBeNull()
    expect(await storeReading(reading)).toMatchObject({ isNew: false, unusedIds: [upload.id] })
  })
})
