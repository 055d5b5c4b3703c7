/** Tests packages that are uploaded in a form: inspected, listed, published and displayed (contracts 2 to 5, 7; D79; U-09 to U-15). */
import { createHash } from 'node:crypto'
import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { sql } from 'kysely'
import { deleteExpiredUploadFiles } from '#server/jobs/delete-expired-uploads.ts'
import { requestJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { buildPackageKey, storeUploadedPackage, findStoredPackage } from '#server/use-cases/uploads/stored-packages.ts'
import { onConnections, bypassPolicies } from '#tests/support/server/database.ts'
import { readStatusAndCode } from '#tests/support/server/forms.ts'
import { packBareApp, buildNoise, packApp } from '#tests/support/uploads/packages.ts'
import { buildFileForm } from '#tests/support/uploads/pictures.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { beginUpload, listUploads, sendPackage, setUpUploads } from '#tests/support/uploads/uploads.ts'

onConnections('packages', (engine) => {
  const fixture = setUpUploads(engine)
  const hashSha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  const hashMd5 = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')
  const uploadPackage = async (bytes: Buffer, caller = fixture.staff) => {
    const response = await sendPackage(caller, bytes)
    if (response.statusCode !== 200) throw new Error(response.body)
    return response.json()[0]
  }
  const beginPublishing = (modules: string[], caller = fixture.staff, extraFields: object = {}) =>
    caller.send({
      method: 'POST',
      url: '/api/app',
      headers: { 'idempotency-key': crypto.randomUUID() },
      payload: { modules, ...extraFields },
    })
  const workAll = async () => {
    while (await runOneJob(fixture.server.app, requestJobKinds));
  }
  const publishModules = async (...modules: string[]) => {
    const { location } = (await beginPublishing(modules)).headers
    await workAll()
    return fixture.staff.send({ url: String(location) })
  }
  const listFiles = () => readdir(fixture.folder).catch(() => [])
  const readStoredPackage = async (bytes: Buffer) => {
    const storedPackage = await findStoredPackage(fixture.server.app, hashSha256(bytes))
    return storedPackage && readFile(storedPackage.path)
  }
  const readFault = (response: Awaited<ReturnType<typeof sendPackage>>) => {
    const { errorCode, data } = response.json()
    return [response.statusCode, errorCode, data?.[0]?.field, data?.[0]?.code, data?.[0]?.named]
  }

  describe('uploading packages', () => {
    test('returns the content of each package and the effect of publishing it', async () => {
      const bytes = await packApp({ facts: { requires: [{ code: 'framework', version: '1.9' }] } })
      expect(await uploadPackage(bytes)).toMatchObject({
        name: 'pay.mapp',
        md5: hashMd5(bytes),
        sha256: hashSha256(bytes),
        size: bytes.length,
        code: 'pay',
        app_name: 'Pay',
        provider: 'm18',
        module: 'crm',
        module_name: 'Customers',
        release_date: '2026-01-05',
        version: '1.0',
        min_version_required: null,
        current_version: null,
        status: 0,
        why: null,
        flag: [{ key: 'digits', name: 'Digits', type: 'int', default: 2 }],
        requires: [{ code: 'framework', version: '1.9' }],
      })
      const [upload] = await listUploads(fixture.staff)
      expect(upload).toMatchObject({
        name: 'pay.mapp',
        size: bytes.length,
        received: bytes.length,
        state: 'read',
        fault: null,
      })
      expect(upload.file.md5).toBe(hashMd5(bytes))
      expect(await listFiles()).toEqual([upload.id])
    })

    test("rejects an invalid package with the reason in the caller's language, and stores nothing", async () => {
      const bytes = await packApp({ facts: { provider: '18m' } })
      expect(readFault(await sendPackage(fixture.staff, bytes))).toEqual([
        400,
        'VALIDATION_ERROR',
        'file',
        'BAD_PACKAGE',
        'BAD_PROVIDER provider',
      ])
      const chineseResponse = await sendPackage(fixture.staff, bytes, 'pay.mapp', { 'accept-language': 'zh' })
      expect(chineseResponse.json().data[0].message).toContain('“provider”必须以字母开头')
      expect(readFault(await sendPackage(fixture.staff, await packApp(), 'pay.zip')).at(-1)).toBe('WRONG_ENDING')
      expect(readFault(await sendPackage(fixture.staff, await packApp(), 'pay\u202Eppam.mapp')).at(-1)).toBe(
        'WRONG_ENDING',
      )
      expect(readFault(await sendPackage(fixture.staff, Buffer.from('MZ'))).at(-1)).toBe('NO_ZIP')
      expect(readFault(await sendPackage(fixture.staff, Buffer.alloc(0))).at(-1)).toBe('FILE_EMPTY')
      const brokenPackage = await packApp({ files: { 'icon.png': Buffer.from((await packApp()).subarray(0, 0)) } })
      expect(readFault(await sendPackage(fixture.staff, brokenPackage)).at(-1)).toBe('ICON_NO_PNG')
      expect([await listFiles(), await listUploads(fixture.staff)]).toEqual([[], []])
    })

    test('accepts more than a form in memory may have, up to the file size limit', async () => {
      const largePackage = await packBareApp({ files: { 'data/large.bin': buildNoise(5_000_000) } })
      expect((await uploadPackage(largePackage)).size).toBe(largePackage.length)
      const tooLargeResponse = await sendPackage(fixture.staff, Buffer.alloc(64 * 1024 * 1024 + 1))
      expect(readStatusAndCode(tooLargeResponse)).toEqual([413, 'TOO_LARGE'])
      expect(await listFiles()).toHaveLength(1)
    }, 60_000)

    test('rejects a form with two files or none, and stores nothing (U-14)', async () => {
      const { payload, headers } = buildFileForm('file', { name: 'a.mapp', bytes: await packBareApp() })
      const boundaryStart = payload.indexOf('\r\n--portal-test-boundary--')
      const formWithTwoFiles = Buffer.concat([payload.subarray(0, boundaryStart + 2), payload])
      const sendForm = (form: Buffer) =>
        fixture.staff.send({ method: 'POST', url: '/api/app/upload', headers, payload: form })
      expect(readStatusAndCode(await sendForm(formWithTwoFiles))).toEqual([400, 'VALIDATION_ERROR'])
      expect(readStatusAndCode(await sendForm(Buffer.from('--portal-test-boundary--\r\n')))).toEqual([
        400,
        'VALIDATION_ERROR',
      ])
      expect(readStatusAndCode(await sendForm(payload.subarray(0, -30)))).toEqual([400, 'VALIDATION_ERROR'])
      expect(await listFiles()).toEqual([])
    })

    test('stores one package for a repeated key, and replaces it for another key', async () => {
      const bytes = await packBareApp()
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const [first, second] = [
        await sendPackage(fixture.staff, bytes, 'pay.mapp', headers),
        await sendPackage(fixture.staff, bytes, 'pay.mapp', headers),
      ]
      expect(second.json()).toEqual(first.json())
      expect(await listFiles()).toHaveLength(1)
      await uploadPackage(bytes)
      expect(await listUploads(fixture.staff)).toHaveLength(1)
      await expect.poll(listFiles).toHaveLength(1)
    })

    test('rejects other bytes with a used MD5 (U-09)', async () => {
      const bytes = await packBareApp()
      await uploadPackage(bytes)
      await bypassPolicies(fixture.server.app.database, (db) =>
        sql`update app_upload set sha256 = ${'0'.repeat(64)}`.execute(db),
      )
      expect(readFault(await sendPackage(fixture.staff, bytes)).at(-1)).toBe('MD5_TAKEN')
    })

    it.each(['admin@alpha', 'user@m18', 'order@m18'])('is refused to %s (Z-31)', async (userName) => {
      const otherUser = await fixture.server.signIn(userName)
      expect(readStatusAndCode(await sendPackage(otherUser, await packBareApp()))).toEqual([403, 'FORBIDDEN'])
      expect(readStatusAndCode(await otherUser.send({ url: '/api/app/upload' }))).toEqual([403, 'FORBIDDEN'])
      expect(await listFiles()).toEqual([])
    })

    test('hides packages from other users and limits their number', async () => {
      await uploadPackage(await packBareApp())
      // An unfinished upload is counted too, and does not start a process to read it.
      for (let index = 0; index < 19; index++) expect((await beginUpload(fixture.staff)).statusCode).toBe(201)
      const extraResponse = await sendPackage(fixture.staff, await packBareApp({ facts: { version: '2' } }))
      expect(readStatusAndCode(extraResponse)).toEqual([429, 'UPLOAD_LIMIT'])
      const otherUser = await fixture.server.signIn('delete@m18')
      expect(await listUploads(otherUser)).toEqual([])
      const uploads: { file: { md5: string } | null }[] = await listUploads(fixture.staff)
      const [first] = uploads.flatMap(({ file }) => file ?? [])
      expect(readStatusAndCode(await beginPublishing([first?.md5 ?? ''], otherUser))).toEqual([409, 'STATE_CONFLICT'])
      await uploadPackage(await packBareApp({ facts: { version: '2' } }), otherUser)
    })

    test('deletes packages after a day, with their files and previews', async () => {
      const { icon } = await uploadPackage(await packApp())
      fixture.server.clock.now += 86_400_000
      const laterStaff = await fixture.server.signIn('admin@m18')
      expect(await listUploads(laterStaff)).toEqual([])
      const oldTime = new Date(Date.now() - 600_000)
      for (const name of await listFiles()) await utimes(join(fixture.folder, name), oldTime, oldTime)
      await writeFile(join(fixture.folder, 'f'.repeat(32)), 'young, of a request at work')
      await writeFile(join(fixture.folder, 'not ours'), '')
      expect(await deleteExpiredUploadFiles(fixture.server.app)).toEqual({ uploads: 1, files: 1, resources: 0 })
      expect((await listFiles()).toSorted()).toEqual(['f'.repeat(32), 'not ours'])
      expect((await fixture.server.send({ url: `/public/resource/${icon}` })).statusCode).toBe(200)
      fixture.server.clock.now += 7_200_000
      expect((await deleteExpiredUploadFiles(fixture.server.app)).resources).toBe(2)
      expect((await fixture.server.send({ url: `/public/resource/${icon}` })).statusCode).toBe(404)
    })
  })

  describe('publishing packages', () => {
    const listRows = async (url: string) => (await fixture.staff.send({ url })).json().data

    test('adds and upgrades apps with icons, change logs and an audit entry', async () => {
      const [first, second] = [
        await packApp(),
        await packApp({ facts: { version: '1.1', min_version_required: '1.0' } }),
      ]
      const { md5, icon, markdown } = await uploadPackage(first)
      const publishResponse = await publishModules(md5)
      expect(publishResponse.statusCode).toBe(200)
      expect(publishResponse.json()).toMatchObject([{ md5, code: 'pay', status: 2, current_version: '1.0', why: null }])
      expect(await uploadPackage(second)).toMatchObject({ status: 1, current_version: '1.0' })
      await publishModules(hashMd5(second))
      expect(await listRows('/api/app')).toMatchObject([{ code: 'pay', version: '1.1', flag: [{ key: 'digits' }] }])
      const history = await listRows('/api/apphistory')
      expect(history.map((row: { version: string }) => row.version)).toEqual(['1.1', '1.0'])
      expect(history[1]).toMatchObject({ icon, markdown })
      expect([await listFiles(), await listUploads(fixture.staff)]).toEqual([[], []])
      for (const bytes of [first, second]) expect((await readStoredPackage(bytes))?.equals(bytes)).toBe(true)
      const trail = await bypassPolicies(fixture.server.app.database, (db) =>
        sql<{
          operation: string
          info: unknown
        }>`select operation, info from audit_entry where code = 'app' order by id`.execute(db),
      )
      expect(trail.rows.map(({ operation }) => operation)).toEqual(['upload', 'create', 'upload', 'create'])
      expect(trail.rows[1]?.info).toMatchObject({ AppCode: 'pay', ModuleCode: 'crm', File: 'pay.mapp' })
    })

    test('recognises the same bytes, and reports a conflict for other bytes', async () => {
      const bytes = await packBareApp({ facts: { version: '1.10' } })
      await publishModules((await uploadPackage(bytes)).md5)
      expect(await uploadPackage(bytes)).toMatchObject({ status: 2, why: null, current_version: '1.10' })
      const otherPackage = await uploadPackage(await packBareApp({ facts: { version: '1.10' }, files: { a: 'b' } }))
      expect(otherPackage).toMatchObject({ status: 3, why: 'other_bytes' })
      const lowerPackage = await uploadPackage(await packBareApp({ facts: { version: '1.9' } }))
      expect(lowerPackage).toMatchObject({ status: 3, why: 'lower' })
      const incompatiblePackage = await uploadPackage(
        await packBareApp({ facts: { version: '3', min_version_required: '2' } }),
      )
      expect(incompatiblePackage).toMatchObject({ status: 3, why: 'min_version' })
      for (const { md5 } of [otherPackage, lowerPackage, incompatiblePackage]) {
        const response = await beginPublishing([md5])
        expect([response.statusCode, response.json().data]).toMatchObject([409, { why: 'status', files: [{ md5 }] }])
      }
    })

    test('accepts one package per code, and only existing packages', async () => {
      const [firstPackage, secondPackage] = [
        await uploadPackage(await packBareApp()),
        await uploadPackage(await packBareApp({ facts: { version: '2' } })),
      ]
      const duplicateResponse = await beginPublishing([firstPackage.md5, secondPackage.md5])
      expect([duplicateResponse.statusCode, duplicateResponse.json().data]).toEqual([
        409,
        { why: 'twice', codes: ['pay'] },
      ])
      const missingResponse = await beginPublishing([firstPackage.md5, '0'.repeat(32)])
      expect([missingResponse.statusCode, missingResponse.json().data]).toEqual([
        409,
        { why: 'gone', md5: ['0'.repeat(32)] },
      ])
      expect(readStatusAndCode(await beginPublishing(['x']))).toEqual([400, 'VALIDATION_ERROR'])
    })

    test('publishes one of two concurrent packages, and reports the conflict to the other user', async () => {
      const otherUser: SignedIn = await fixture.server.signIn('delete@m18')
      const ownPackage = await uploadPackage(await packBareApp())
      const otherPackage = await uploadPackage(await packBareApp({ files: { other: 'bytes' } }), otherUser)
      const [ownStart, otherStart] = [
        await beginPublishing([ownPackage.md5]),
        await beginPublishing([otherPackage.md5], otherUser),
      ]
      await Promise.all([
        runOneJob(fixture.server.app, requestJobKinds),
        runOneJob(fixture.server.app, requestJobKinds),
      ])
      const results = [
        (await fixture.staff.send({ url: String(ownStart.headers.location) })).json()[0],
        (await otherUser.send({ url: String(otherStart.headers.location) })).json()[0],
      ]
      expect(results.map(({ status, why: reason }) => [status, reason]).toSorted()).toEqual([
        [2, null],
        [3, 'other_bytes'],
      ])
      expect((await listRows('/api/apphistory')).length).toBe(1)
    })

    test('happens exactly once, wherever a kill interrupts it', async () => {
      const packages = [
        await packBareApp(),
        await packBareApp({ facts: { code: 'tax' } }),
        await packBareApp({ facts: { code: 'hr' } }),
      ]
      for (const bytes of packages) await uploadPackage(bytes)
      const md5 = packages.map(hashMd5)
      const { location } = (await beginPublishing(md5)).headers
      const publishJob = requestJobKinds['publish-apps']
      if (!publishJob) throw new Error('nothing publishes')
      const progressInfo: unknown[] = []
      // Simulates a kill after the transaction of the step, before its progress is recorded.
      const killedJobKinds = {
        'publish-apps': {
          ...publishJob,
          step: async (context: Parameters<typeof publishJob.step>[0]) => {
            const jobStep = await publishJob.step(context)
            progressInfo.push(jobStep.kind === 'on' ? jobStep.info : null)
            throw new Error('killed')
          },
        },
      }
      for (let index = 0; index < 2; index++) {
        await runOneJob(fixture.server.app, killedJobKinds)
        fixture.server.clock.now += 120_000
      }
      // The second attempt finds the first package published, and reports the same progress.
      expect(progressInfo).toEqual([1, 2].map(() => ({ name: 'Pay 1.0', message: '1 / 3' })))
      await workAll()
      const finalResponse = await (await fixture.server.signIn('admin@m18')).send({ url: String(location) })
      expect(finalResponse.json().map((row: { code: string; status: number }) => [row.code, row.status])).toEqual([
        ['pay', 2],
        ['tax', 2],
        ['hr', 2],
      ])
      const history = await (await fixture.server.signIn('admin@m18')).send({ url: '/api/apphistory' })
      expect(history.json().count).toBe(3)
      const trail = await bypassPolicies(fixture.server.app.database, (db) =>
        sql<{
          n: number
        }>`select count(*)::integer as n from audit_entry where code = 'app' and operation = 'create'`.execute(db),
      )
      expect(trail.rows[0]?.n).toBe(3)
      for (const bytes of packages) expect((await readStoredPackage(bytes))?.equals(bytes)).toBe(true)
    })

    test('stores the package first, and can still be done after a kill in between', async () => {
      const bytes = await packBareApp()
      const { md5 } = await uploadPackage(bytes)
      const [id = ''] = await listFiles()
      const [app, hash] = [fixture.server.app, hashSha256(bytes)]
      // Simulates a kill in between: the package is stored, but not published.
      await storeUploadedPackage(app, id, hash)
      expect([await listFiles(), (await readStoredPackage(bytes))?.equals(bytes)]).toEqual([[id], true])
      await storeUploadedPackage(app, id, hash)
      expect((await publishModules(md5)).statusCode).toBe(200)
      expect([await listFiles(), (await readStoredPackage(bytes))?.equals(bytes)]).toEqual([[], true])
    })

    test('fails if the file is lost', async () => {
      const bytes = await packBareApp({ facts: { code: 'lost' } })
      const { md5 } = await uploadPackage(bytes)
      const [id = ''] = await listFiles()
      await rm(join(fixture.folder, id))
      expect((await publishModules(md5)).statusCode).not.toBe(200)
      expect([await listRows('/api/apphistory'), await readStoredPackage(bytes)]).toEqual([[], null])
      expect(() => buildPackageKey('../../secret')).toThrow('SHA-256 of the package is invalid')
      expect(await findStoredPackage(fixture.server.app, null)).toBeNull()
    })
  })

  describe('previews of packages', () => {
    const getResource = (id: string, headers: Record<string, string> = {}) =>
      fixture.server.send({ url: `/public/resource/${id}`, headers })

    test('serve icon and change log by name, permanently and with safe headers only (U-15)', async () => {
      const { icon, markdown } = await uploadPackage(
        await packApp({ files: { 'changelog.md': '# Hi <script>alert(1)</script>' } }),
      )
      const iconResponse = await getResource(icon)
      expect(iconResponse.headers).toMatchObject({
        'content-type': 'image/webp',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; base-uri 'none'; sandbox; frame-ancestors 'none'",
        'x-frame-options': 'DENY',
      })
      expect(iconResponse.rawPayload.subarray(0, 4).toString()).toBe('RIFF')
      const markdownResponse = await getResource(markdown)
      expect(markdownResponse.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'x-frame-options': 'SAMEORIGIN',
      })
      expect(markdownResponse.headers['content-security-policy']).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; .*sandbox/,
      )
      expect([markdownResponse.body.includes('<h1>Hi'), markdownResponse.body.includes('script')]).toEqual([
        true,
        false,
      ])
      for (const id of [icon, markdown])
        expect((await getResource(id, { 'service-worker': 'script' })).statusCode).toBe(403)
      expect((await getResource(`${icon}?v=.js`)).headers['content-type']).toBe('image/webp')
      expect(readStatusAndCode(await getResource('0'.repeat(32)))).toEqual([404, 'NOT_FOUND'])
      expect((await getResource(`${'0'.repeat(7)}`)).statusCode).toBe(400)
    })
  })
})
