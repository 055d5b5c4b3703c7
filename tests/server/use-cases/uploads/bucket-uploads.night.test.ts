/** Tests uploads of packages into a bucket from two nodes: alternating pieces, abandoned requests, and faults of the bucket (U-13, R-28). */
import { mkdtempSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { buildApp } from '#server/composition/app.ts'
import type { AppContext } from '#server/context/context.ts'
import { hashBody, toBody } from '#server/drivers/file-store/bodies.ts'
import { createBucketStore } from '#server/drivers/file-store/s3/store.ts'
import { deleteExpiredUploadFiles } from '#server/jobs/delete-expired-uploads.ts'
import { requestJobKinds } from '#server/jobs/job-registry.ts'
import { runOneJob } from '#server/jobs/runner.ts'
import { checkFileStore } from '#server/use-cases/uploads/file-problems.ts'
import { findStoredPackage } from '#server/use-cases/uploads/stored-packages.ts'
import { writePieces } from '#server/use-cases/uploads/upload-pieces.ts'
import { type S3Effect, type S3Server, startS3 } from '#tests/support/hosting/s3/server.ts'
import { limitByDay } from '#tests/support/runner/nightly.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { readStatusAndCode } from '#tests/support/server/forms.ts'
import { type SignedIn, startServer, type TestServer } from '#tests/support/server/server.ts'
import { buildNoise, packBareApp } from '#tests/support/uploads/packages.ts'
import { startHangingPatch } from '#tests/support/uploads/tus.ts'
import { listUploads, sendPackage } from '#tests/support/uploads/uploads.ts'

onConnections('uploads into a bucket', (engine) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'portal-bucket-'))
  let bucket: S3Server
  let server: TestServer
  let secondApp: AppContext
  let secondNode: FastifyInstance
  let urls: string[]
  let staff: SignedIn
  const openFiles = () => createBucketStore(bucket.settings(), { prefix: 'portal/', tries: 2 })

  beforeAll(async () => {
    bucket = await startS3({ pageSize: 3 })
    server = await startServer({ engine, env: { DATA_DIR: dataDir }, files: openFiles() })
    secondApp = { ...server.app, files: openFiles() }
    secondNode = buildApp(secondApp, {}, null)
    urls = await Promise.all(
      [server.fastify, secondNode].map((fastify) => fastify.listen({ port: 0, host: '127.0.0.1' })),
    )
  }, 90_000)
  beforeEach(async () => {
    await server.reset()
    bucket.content.objects.clear()
    staff = await server.signIn('admin@m18')
  })
  afterAll(async () => {
    await secondNode.close()
    await secondApp.files.close()
    await server.close()
    await bucket.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  const send = async (node: number, method: string, path: string, headers = {}, body?: Buffer) => {
    const response = await fetch(`${urls[node]}${path}`, {
      method,
      headers: { authorization: `Bearer ${staff.accessToken}`, 'tus-resumable': '1.0.0', ...headers },
      ...(body === undefined ? {} : { body: new Uint8Array(body) }),
    })
    const text = await response.text()
    return { statusCode: response.status, headers: response.headers, json: () => JSON.parse(text) as object }
  }
  const beginUpload = async (size: number) => {
    const headers = { 'upload-length': String(size), 'upload-metadata': 'filename cGF5Lm1hcHA=' }
    return String((await send(0, 'POST', '/api/app/upload/tus', headers)).headers.get('location'))
  }
  const sendPiece = (node: number, path: string, offset: number, body: Buffer) => {
    const headers = { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' }
    return send(node, 'PATCH', path, headers, body)
  }
  const readOffset = async (node: number, path: string) =>
    Number((await send(node, 'HEAD', path)).headers.get('upload-offset'))
  const getId = (path: string) => path.split('/').at(-1) ?? ''
  const listKeys = () => [...bucket.content.objects.keys()].toSorted()
  const packLargeApp = () => packBareApp({ files: { 'data/large.bin': buildNoise(300_000) } })
  const publish = async (md5: string) => {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const { headers: responseHeaders } = await staff.send({
      method: 'POST',
      url: '/api/app',
      headers,
      payload: { modules: [md5] },
    })
    while (await runOneJob(secondApp, requestJobKinds));
    return staff.send({ url: String(responseHeaders.location) })
  }

  it('receives pieces in turn at two nodes, and publishes the package', async () => {
    const bytes = await packLargeApp()
    const path = await beginUpload(bytes.length)
    const pieceSize = Math.ceil(bytes.length / 5)
    for (let offset = 0; offset < bytes.length; offset += pieceSize) {
      const piece = bytes.subarray(offset, offset + pieceSize)
      const node = (offset / pieceSize) % 2
      expect((await sendPiece(node, path, offset, piece)).statusCode).toBe(204)
      expect(await readOffset(1 - node, path)).toBe(offset + piece.length)
    }
    const [upload] = await listUploads(staff)
    expect(upload).toMatchObject({ state: 'read', received: bytes.length })
    expect((await publish(upload.file.md5)).statusCode).toBe(200)
    expect(listKeys()).toEqual([`portal/packages/${upload.file.sha256}.mapp`])

    const copies = await Promise.all([server.app, secondApp].map((app) => findStoredPackage(app, upload.file.sha256)))
    for (const copy of copies) expect((await readFile(copy?.path ?? '')).equals(bytes)).toBe(true)
    bucket.calls.length = 0
    await findStoredPackage(secondApp, upload.file.sha256)
    expect(bucket.calls).not.toContain('GetObject')
    await writeFile(copies[0]?.path ?? '', 'damaged')
    const repairedCopy = await findStoredPackage(secondApp, upload.file.sha256)
    expect((await readFile(repairedCopy?.path ?? '')).equals(bytes)).toBe(true)
    expect(await readdir(join(dataDir, 'cache', 'readings'))).toEqual([])
    expect(await findStoredPackage(secondApp, '0'.repeat(64))).toBeNull()
  })

  it('continues at another node when a node is abandoned in the middle of a piece', async () => {
    const bytes = await packLargeApp()
    const path = await beginUpload(bytes.length)
    await sendPiece(0, path, 0, bytes.subarray(0, 100_000))
    const { cut, closed } = await startHangingPatch(`${urls[0]}${path}`, staff.accessToken, {
      offset: 100_000,
      length: bytes.length - 100_000,
      bytes: bytes.subarray(100_000, 120_000),
    })
    cut()
    await closed
    const offset = await readOffset(1, path)
    expect(offset).toBeGreaterThanOrEqual(100_000)
    expect((await sendPiece(1, path, offset, bytes.subarray(offset))).statusCode).toBe(204)
    // A process that was paused for longer than its lease writes its bytes only now.
    const lateWrite = writePieces(server.app.files, getId(path), 100_000, toBody(buildNoise(20_000)))
    if (offset > 100_000) await expect(lateWrite).rejects.toMatchObject({ code: 'STATE_CONFLICT' })
    else await lateWrite.catch(() => undefined)
    expect(await listUploads(staff)).toMatchObject([{ state: 'read', file: { sha256: await hashBody(toBody(bytes)) } }])
  })

  const faults: readonly [S3Effect, number, [number, string | null]][] = [
    ['lose', 1, [204, null]],
    ['busy', 2, [503, 'UNAVAILABLE']],
    ['full', 2, [507, 'FILES_FULL']],
    ['flip', 2, [503, 'UNAVAILABLE']],
    ['cut', 2, [503, 'UNAVAILABLE']],
    ['busy', 1, [204, null]],
    ['cut', 1, [204, null]],
    ['denied', 2, [503, 'UNAVAILABLE']],
  ]
  it.each(limitByDay(faults, 5))(
    'loses no acknowledged byte when writes to the bucket are: %s, %i times',
    async (effect, times, end) => {
      const bytes = await packBareApp()
      const path = await beginUpload(bytes.length)
      expect((await sendPiece(0, path, 0, bytes.subarray(0, 50))).statusCode).toBe(204)
      bucket.disturb('PutObject', effect, times)
      const response = await sendPiece(0, path, 50, bytes.subarray(50, 100))
      bucket.disturb('PutObject', effect, 0)
      expect(end[1] === null ? [response.statusCode, null] : readStatusAndCode(response)).toEqual(end)
      const offset = await readOffset(1, path)
      expect(offset === 100 || (end[1] !== null && offset === 50)).toBe(true)
      expect((await sendPiece(1, path, offset, bytes.subarray(offset))).statusCode).toBe(204)
      expect(await listUploads(staff)).toMatchObject([
        { state: 'read', file: { sha256: await hashBody(toBody(bytes)) } },
      ])
    },
  )

  it('responds with 503 while the bucket does not respond, and reads a complete upload later', async () => {
    const bytes = await packBareApp()
    const path = await beginUpload(bytes.length)
    bucket.disturb('GetObject', 'busy', Infinity)
    bucket.disturb('ListObjectsV2', 'busy', Infinity)
    for (const response of [await sendPiece(0, path, 0, bytes), await sendPiece(1, path, 0, bytes)])
      expect(readStatusAndCode(response)).toEqual([503, 'UNAVAILABLE'])
    expect((await staff.send({ url: '/api/app/upload' })).statusCode).toBe(503)
    bucket.disturb('ListObjectsV2', 'busy', 0)
    bucket.disturb('GetObject', 'busy', 0)
    await writePieces(server.app.files, getId(path), 0, toBody(bytes))
    expect(await listUploads(staff)).toMatchObject([{ state: 'read' }])
    expect(server.readLog()).toContain('"event":"file_store_unavailable"')
  })

  it('stores an upload from a form, and nothing of a refused one', async () => {
    expect((await sendPackage(staff, buildNoise(1000))).statusCode).toBe(400)
    expect(listKeys()).toEqual([])
    const bytes = await packBareApp()
    const { md5, sha256 } = (await sendPackage(staff, bytes)).json()[0]
    expect(await readdir(join(dataDir, 'cache', 'forms'))).toEqual([])
    bucket.disturb('PutObject', 'full', 2)
    expect(readStatusAndCode(await sendPackage(staff, await packLargeApp()))).toEqual([507, 'FILES_FULL'])
    bucket.disturb('PutObject', 'full', 0)
    expect((await publish(md5)).statusCode).toBe(200)
    expect(listKeys()).toEqual([`portal/packages/${sha256}.mapp`])
  })

  it('deletes old files without a row by the clock of the bucket, and all pieces of a deleted upload', async () => {
    const [deletedPath, activePath] = [await beginUpload(100), await beginUpload(100)]
    for (const path of [deletedPath, activePath]) {
      await sendPiece(0, path, 0, buildNoise(30))
      await sendPiece(1, path, 30, buildNoise(20))
    }
    expect((await send(1, 'DELETE', deletedPath)).statusCode).toBe(204)
    expect(listKeys().filter((key) => key.includes(getId(deletedPath)))).toEqual([])
    const [orphanId, youngId] = ['a'.repeat(32), 'b'.repeat(32)]
    for (const id of [orphanId, youngId]) await writePieces(server.app.files, id, 0, toBody('x'))
    for (const [key, object] of bucket.content.objects)
      if (!key.includes(youngId)) object.modifiedAt = new Date(Date.now() - 360_000)
    expect((await deleteExpiredUploadFiles(server.app)).files).toBe(1)
    const ids = new Set(listKeys().map((key) => key.split('/')[2]))
    expect(ids).toEqual(new Set([getId(activePath), youngId, 'time']))
  })

  it('reports at the start that the bucket refuses access', async () => {
    const files = createBucketStore(bucket.settings({ bucket: 'other' }), { tries: 1 })
    const countEvents = () => server.readLog().split('file_store_unavailable').length
    const eventCount = countEvents()
    await checkFileStore({ files, log: server.app.log })
    expect(countEvents()).toBe(eventCount + 1)
    await checkFileStore(server.app)
    expect(countEvents()).toBe(eventCount + 1)
    await files.close()
  })
})
