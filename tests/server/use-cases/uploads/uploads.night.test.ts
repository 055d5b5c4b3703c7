/** Packages that come in one form: looked into, listed, published, and shown (contracts 2 to 5, 7; D79; U-09 to U-15). */
import { createHash } from 'node:crypto'
import { readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { sql } from 'kysely'
import { sweepPackages } from '#server/jobs/delete-expired-uploads.ts'
import { kinds } from '#server/jobs/registry.ts'
import { workOne } from '#server/jobs/runner.ts'
import { keepUpload, keptPackage, packagePath } from '#server/use-cases/uploads/kept-packages.ts'
import { onConnections, pastPolicies } from '#tests/support/server/database.ts'
import { told } from '#tests/support/server/forms.ts'
import { bare, noise, packed } from '#tests/support/uploads/packages.ts'
import { formWith } from '#tests/support/uploads/pictures.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { beginUpload, listUploads, sendPackage, setUpUploads } from '#tests/support/uploads/uploads.ts'

onConnections('packages', (engine) => {
  const the = setUpUploads(engine)
  const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
  const md5Of = (bytes: Buffer) => createHash('md5').update(bytes).digest('hex')
  const upload = async (bytes: Buffer, by = the.staff) => {
    const answer = await sendPackage(by, bytes)
    if (answer.statusCode !== 200) throw new Error(answer.body)
    return answer.json()[0]
  }
  const begin = (modules: string[], by = the.staff, more: object = {}) =>
    by.send({
      method: 'POST',
      url: '/api/app',
      headers: { 'idempotency-key': crypto.randomUUID() },
      payload: { modules, ...more },
    })
  const workAll = async () => {
    while (await workOne(the.server.app, kinds));
  }
  const publish = async (...modules: string[]) => {
    const { location } = (await begin(modules)).headers
    await workAll()
    return the.staff.send({ url: String(location) })
  }
  const files = () => readdir(the.folder).catch(() => [])
  const kept = async (bytes: Buffer) => {
    const found = await keptPackage(the.server.app, sha256Of(bytes))
    return found && readFile(found.path)
  }
  const faultOf = (answer: Awaited<ReturnType<typeof sendPackage>>) => {
    const { errorCode, data } = answer.json()
    return [answer.statusCode, errorCode, data?.[0]?.field, data?.[0]?.code, data?.[0]?.named]
  }

  describe('that are uploaded', () => {
    test('say what they are and what they would do', async () => {
      const bytes = await packed({ facts: { requires: [{ code: 'framework', version: '1.9' }] } })
      expect(await upload(bytes)).toMatchObject({
        name: 'pay.mapp',
        md5: md5Of(bytes),
        sha256: sha256Of(bytes),
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
      const [listed] = await listUploads(the.staff)
      expect(listed).toMatchObject({
        name: 'pay.mapp',
        size: bytes.length,
        received: bytes.length,
        state: 'read',
        fault: null,
      })
      expect(listed.file.md5).toBe(md5Of(bytes))
      expect(await files()).toEqual([listed.id])
    })

    test('are refused with what is wrong, in the reader’s language, and leave nothing', async () => {
      const bytes = await packed({ facts: { provider: '18m' } })
      expect(faultOf(await sendPackage(the.staff, bytes))).toEqual([
        400,
        'VALIDATION_ERROR',
        'file',
        'BAD_PACKAGE',
        'BAD_PROVIDER provider',
      ])
      const inChinese = await sendPackage(the.staff, bytes, 'pay.mapp', { 'accept-language': 'zh' })
      expect(inChinese.json().data[0].message).toContain('“provider”必须以字母开头')
      expect(faultOf(await sendPackage(the.staff, await packed(), 'pay.zip')).at(-1)).toBe('WRONG_ENDING')
      expect(faultOf(await sendPackage(the.staff, await packed(), 'pay\u202Eppam.mapp')).at(-1)).toBe('WRONG_ENDING')
      expect(faultOf(await sendPackage(the.staff, Buffer.from('MZ'))).at(-1)).toBe('NO_ZIP')
      expect(faultOf(await sendPackage(the.staff, Buffer.alloc(0))).at(-1)).toBe('FILE_EMPTY')
      const broken = await packed({ files: { 'icon.png': Buffer.from((await packed()).subarray(0, 0)) } })
      expect(faultOf(await sendPackage(the.staff, broken)).at(-1)).toBe('ICON_NO_PNG')
      expect([await files(), await listUploads(the.staff)]).toEqual([[], []])
    })

    test('are larger than a form that is held in memory, and no larger than the limit', async () => {
      const large = await bare({ files: { 'data/large.bin': noise(5_000_000) } })
      expect((await upload(large)).size).toBe(large.length)
      const tooLarge = await sendPackage(the.staff, Buffer.alloc(64 * 1024 * 1024 + 1))
      expect(told(tooLarge)).toEqual([413, 'TOO_LARGE'])
      expect(await files()).toHaveLength(1)
    }, 60_000)

    test('in a form with two files, or with none, are refused, and nothing stays (U-14)', async () => {
      const { payload, headers } = formWith('file', { name: 'a.mapp', bytes: await bare() })
      const end = payload.indexOf('\r\n--portal-test-boundary--')
      const twice = Buffer.concat([payload.subarray(0, end + 2), payload])
      const send = (form: Buffer) => the.staff.send({ method: 'POST', url: '/api/app/upload', headers, payload: form })
      expect(told(await send(twice))).toEqual([400, 'VALIDATION_ERROR'])
      expect(told(await send(Buffer.from('--portal-test-boundary--\r\n')))).toEqual([400, 'VALIDATION_ERROR'])
      expect(told(await send(payload.subarray(0, -30)))).toEqual([400, 'VALIDATION_ERROR'])
      expect(await files()).toEqual([])
    })

    test('again under the same key are one, and again under another take the place of the first', async () => {
      const bytes = await bare()
      const headers = { 'idempotency-key': crypto.randomUUID() }
      const [first, second] = [
        await sendPackage(the.staff, bytes, 'pay.mapp', headers),
        await sendPackage(the.staff, bytes, 'pay.mapp', headers),
      ]
      expect(second.json()).toEqual(first.json())
      expect(await files()).toHaveLength(1)
      await upload(bytes)
      expect(await listUploads(the.staff)).toHaveLength(1)
      await expect.poll(files).toHaveLength(1)
    })

    test('with other bytes and the MD5 of another are told apart (U-09)', async () => {
      const bytes = await bare()
      await upload(bytes)
      await pastPolicies(the.server.app.database, (db) =>
        sql`update app_upload set sha256 = ${'0'.repeat(64)}`.execute(db),
      )
      expect(faultOf(await sendPackage(the.staff, bytes)).at(-1)).toBe('MD5_TAKEN')
    })

    it.each(['admin@alpha', 'user@m18', 'order@m18'])('are nothing for %s (Z-31)', async (who) => {
      const other = await the.server.signIn(who)
      expect(told(await sendPackage(other, await bare()))).toEqual([403, 'FORBIDDEN'])
      expect(told(await other.send({ url: '/api/app/upload' }))).toEqual([403, 'FORBIDDEN'])
      expect(await files()).toEqual([])
    })

    test('of one user are not shown to another, and are limited in number', async () => {
      await upload(await bare())
      // One that is only begun takes its place too, and no process opens it.
      for (let at = 0; at < 19; at++) expect((await beginUpload(the.staff)).statusCode).toBe(201)
      const more = await sendPackage(the.staff, await bare({ facts: { version: '2' } }))
      expect(told(more)).toEqual([429, 'UPLOAD_LIMIT'])
      const other = await the.server.signIn('delete@m18')
      expect(await listUploads(other)).toEqual([])
      const files: { file: { md5: string } | null }[] = await listUploads(the.staff)
      const [first] = files.flatMap(({ file }) => file ?? [])
      expect(told(await begin([first?.md5 ?? ''], other))).toEqual([409, 'STATE_CONFLICT'])
      await upload(await bare({ facts: { version: '2' } }), other)
    })

    test('are gone after a day, with their files and what was shown of them', async () => {
      const { icon } = await upload(await packed())
      the.server.clock.now += 86_400_000
      const later = await the.server.signIn('admin@m18')
      expect(await listUploads(later)).toEqual([])
      const old = new Date(Date.now() - 600_000)
      for (const name of await files()) await utimes(join(the.folder, name), old, old)
      await writeFile(join(the.folder, 'f'.repeat(32)), 'young, of a request at work')
      await writeFile(join(the.folder, 'not ours'), '')
      expect(await sweepPackages(the.server.app)).toEqual({ uploads: 1, files: 1, resources: 0 })
      expect((await files()).toSorted()).toEqual(['f'.repeat(32), 'not ours'])
      expect((await the.server.send({ url: `/public/resource/${icon}` })).statusCode).toBe(200)
      the.server.clock.now += 7_200_000
      expect((await sweepPackages(the.server.app)).resources).toBe(2)
      expect((await the.server.send({ url: `/public/resource/${icon}` })).statusCode).toBe(404)
    })
  })

  describe('that are published', () => {
    const rows = async (url: string) => (await the.staff.send({ url })).json().data

    test('add and upgrade, with their icons, change logs and an entry in the trail', async () => {
      const [first, second] = [await packed(), await packed({ facts: { version: '1.1', min_version_required: '1.0' } })]
      const { md5, icon, markdown } = await upload(first)
      const done = await publish(md5)
      expect(done.statusCode).toBe(200)
      expect(done.json()).toMatchObject([{ md5, code: 'pay', status: 2, current_version: '1.0', why: null }])
      expect(await upload(second)).toMatchObject({ status: 1, current_version: '1.0' })
      await publish(md5Of(second))
      expect(await rows('/api/app')).toMatchObject([{ code: 'pay', version: '1.1', flag: [{ key: 'digits' }] }])
      const history = await rows('/api/apphistory')
      expect(history.map((row: { version: string }) => row.version)).toEqual(['1.1', '1.0'])
      expect(history[1]).toMatchObject({ icon, markdown })
      expect([await files(), await listUploads(the.staff)]).toEqual([[], []])
      for (const bytes of [first, second]) expect((await kept(bytes))?.equals(bytes)).toBe(true)
      const trail = await pastPolicies(the.server.app.database, (db) =>
        sql<{
          operation: string
          info: unknown
        }>`select operation, info from audit_entry where code = 'app' order by id`.execute(db),
      )
      expect(trail.rows.map(({ operation }) => operation)).toEqual(['upload', 'create', 'upload', 'create'])
      expect(trail.rows[1]?.info).toMatchObject({ AppCode: 'pay', ModuleCode: 'crm', File: 'pay.mapp' })
    })

    test('are known again by their bytes, and conflict where they are others', async () => {
      const bytes = await bare({ facts: { version: '1.10' } })
      await publish((await upload(bytes)).md5)
      expect(await upload(bytes)).toMatchObject({ status: 2, why: null, current_version: '1.10' })
      const other = await upload(await bare({ facts: { version: '1.10' }, files: { a: 'b' } }))
      expect(other).toMatchObject({ status: 3, why: 'other_bytes' })
      const lower = await upload(await bare({ facts: { version: '1.9' } }))
      expect(lower).toMatchObject({ status: 3, why: 'lower' })
      const far = await upload(await bare({ facts: { version: '3', min_version_required: '2' } }))
      expect(far).toMatchObject({ status: 3, why: 'min_version' })
      for (const { md5 } of [other, lower, far]) {
        const answer = await begin([md5])
        expect([answer.statusCode, answer.json().data]).toMatchObject([409, { why: 'status', files: [{ md5 }] }])
      }
    })

    test('are chosen once a code, and only if they are there', async () => {
      const [one, two] = [await upload(await bare()), await upload(await bare({ facts: { version: '2' } }))]
      const twice = await begin([one.md5, two.md5])
      expect([twice.statusCode, twice.json().data]).toEqual([409, { why: 'twice', codes: ['pay'] }])
      const gone = await begin([one.md5, '0'.repeat(32)])
      expect([gone.statusCode, gone.json().data]).toEqual([409, { why: 'gone', md5: ['0'.repeat(32)] }])
      expect(told(await begin(['x']))).toEqual([400, 'VALIDATION_ERROR'])
    })

    test('by two at once are published once, and the later one is told of the conflict', async () => {
      const other: SignedIn = await the.server.signIn('delete@m18')
      const mine = await upload(await bare())
      const theirs = await upload(await bare({ files: { other: 'bytes' } }), other)
      const [a, b] = [await begin([mine.md5]), await begin([theirs.md5], other)]
      await Promise.all([workOne(the.server.app, kinds), workOne(the.server.app, kinds)])
      const answers = [
        (await the.staff.send({ url: String(a.headers.location) })).json()[0],
        (await other.send({ url: String(b.headers.location) })).json()[0],
      ]
      expect(answers.map(({ status, why }) => [status, why]).toSorted()).toEqual([
        [2, null],
        [3, 'other_bytes'],
      ])
      expect((await rows('/api/apphistory')).length).toBe(1)
    })

    test('are published exactly once, wherever a kill cuts the work off', async () => {
      const all = [await bare(), await bare({ facts: { code: 'tax' } }), await bare({ facts: { code: 'hr' } })]
      for (const bytes of all) await upload(bytes)
      const md5 = all.map(md5Of)
      const { location } = (await begin(md5)).headers
      const real = kinds['publish-apps']
      if (!real) throw new Error('nothing publishes')
      const progress: unknown[] = []
      // Dies after its own transaction and before anybody has recorded how far it is.
      const killed = {
        'publish-apps': {
          ...real,
          step: async (work: Parameters<typeof real.step>[0]) => {
            const step = await real.step(work)
            progress.push(step.kind === 'on' ? step.info : null)
            throw new Error('killed')
          },
        },
      }
      for (let at = 0; at < 2; at++) {
        await workOne(the.server.app, killed)
        the.server.clock.now += 120_000
      }
      // The second try finds the first one published, and says the same.
      expect(progress).toEqual([1, 2].map(() => ({ name: 'Pay 1.0', message: '1 / 3' })))
      await workAll()
      const done = await (await the.server.signIn('admin@m18')).send({ url: String(location) })
      expect(done.json().map((row: { code: string; status: number }) => [row.code, row.status])).toEqual([
        ['pay', 2],
        ['tax', 2],
        ['hr', 2],
      ])
      const history = await (await the.server.signIn('admin@m18')).send({ url: '/api/apphistory' })
      expect(history.json().count).toBe(3)
      const trail = await pastPolicies(the.server.app.database, (db) =>
        sql<{
          n: number
        }>`select count(*)::integer as n from audit_entry where code = 'app' and operation = 'create'`.execute(db),
      )
      expect(trail.rows[0]?.n).toBe(3)
      for (const bytes of all) expect((await kept(bytes))?.equals(bytes)).toBe(true)
    })

    test('are kept before they are published, and are no longer lost when that comes to nothing', async () => {
      const bytes = await bare()
      const { md5 } = await upload(bytes)
      const [id = ''] = await files()
      const [app, hash] = [the.server.app, sha256Of(bytes)]
      // A kill between the two: kept, and not published.
      await keepUpload(app, id, hash)
      expect([await files(), (await kept(bytes))?.equals(bytes)]).toEqual([[id], true])
      await keepUpload(app, id, hash)
      expect((await publish(md5)).statusCode).toBe(200)
      expect([await files(), (await kept(bytes))?.equals(bytes)]).toEqual([[], true])
    })

    test('are not published when their file is lost', async () => {
      const bytes = await bare({ facts: { code: 'lost' } })
      const { md5 } = await upload(bytes)
      const [id = ''] = await files()
      await rm(join(the.folder, id))
      expect((await publish(md5)).statusCode).not.toBe(200)
      expect([await rows('/api/apphistory'), await kept(bytes)]).toEqual([[], null])
      expect(() => packagePath(the.server.app, '../../secret')).toThrow('no SHA-256')
      expect(await keptPackage(the.server.app, null)).toBeNull()
    })
  })

  describe('show', () => {
    const get = (id: string, headers: Record<string, string> = {}) =>
      the.server.send({ url: `/public/resource/${id}`, headers })

    test('their icon and change log to whoever knows the name, for good, and as nothing else (U-15)', async () => {
      const { icon, markdown } = await upload(
        await packed({ files: { 'changelog.md': '# Hi <script>alert(1)</script>' } }),
      )
      const picture = await get(icon)
      expect(picture.headers).toMatchObject({
        'content-type': 'image/webp',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; base-uri 'none'; sandbox; frame-ancestors 'none'",
        'x-frame-options': 'DENY',
      })
      expect(picture.rawPayload.subarray(0, 4).toString()).toBe('RIFF')
      const page = await get(markdown)
      expect(page.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'x-frame-options': 'SAMEORIGIN',
      })
      expect(page.headers['content-security-policy']).toMatch(
        /^default-src 'none'; style-src 'sha256-[^']+'; .*sandbox/,
      )
      expect([page.body.includes('<h1>Hi'), page.body.includes('script')]).toEqual([true, false])
      for (const id of [icon, markdown]) expect((await get(id, { 'service-worker': 'script' })).statusCode).toBe(403)
      expect((await get(`${icon}?v=.js`)).headers['content-type']).toBe('image/webp')
      expect(told(await get('0'.repeat(32)))).toEqual([404, 'NOT_FOUND'])
      expect((await get(`${'0'.repeat(7)}`)).statusCode).toBe(400)
    })
  })
})
