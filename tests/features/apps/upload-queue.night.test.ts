/** Tests the upload queue with a real tus client and socket: pause, resume, reload, lost connection, full server, refusal. */
import { setTimeout as pass } from 'node:timers/promises'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { Upload } from 'tus-js-client'
import { createLocalProblem, readProblem } from '#contract/problem.ts'
import type { AppPackages } from '#request/call-results.ts'
import { createStartedUploads } from '#app/connection/started-uploads.ts'
import { readFile } from '#features/apps/upload/read-file.ts'
import { UploadQueue } from '#features/apps/upload/upload-queue.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { buildNoise, packApp } from '#tests/support/uploads/packages.ts'
import { beginUpload, listUploads, setUpUploads } from '#tests/support/uploads/uploads.ts'

/** The time is long, because the server opens each file in a process of its own, which is slow while other tests run. */
const pollOptions = { timeout: 60_000 }
const testOptions = { timeout: 90_000 }

onConnections('the upload queue', (engine) => {
  const fixture = setUpUploads(engine)
  let url: string
  let isOnline: boolean
  /** The client's store of resumable uploads. It outlives the page. */
  let storedItems: Map<string, string>
  let maxConcurrent: number
  let runningCount: number
  /** The offset in bytes at which each attempt started. */
  let startOffsets: number[]
  beforeAll(async () => {
    url = await fixture.server.fastify.listen({ port: 0, host: '127.0.0.1' })
  })
  beforeEach(() => {
    isOnline = true
    storedItems = new Map()
    maxConcurrent = 0
    runningCount = 0
    startOffsets = []
  })

  const storage = {
    getItem: (name: string) => storedItems.get(name) ?? null,
    setItem: (name: string, value: string) => void storedItems.set(name, value),
    removeItem: (name: string) => void storedItems.delete(name),
  }
  const getUploadId = (uploadUrl: string | null) => uploadUrl?.split('/').at(-1) ?? ''

  /** Returns a function that sends with the same client as the page. Node needs the bytes of the file instead of a `File`. */
  const createSend =
    (getSession: () => SignedIn): AppPackages['send'] =>
    async (file, { md5, signal, onStarted, onProgress }) => {
      const bytes = Buffer.from(await file.arrayBuffer())
      runningCount += 1
      maxConcurrent = Math.max(maxConcurrent, runningCount)
      let isFirst = true
      return await new Promise<Awaited<ReturnType<AppPackages['send']>>>((resolve) => {
        const upload = new Upload(bytes, {
          endpoint: `${url}/api/app/upload/tus`,
          metadata: { filename: file.name },
          chunkSize: 64 * 1024,
          retryDelays: [],
          fingerprint: async () => `${getSession().userId} ${md5}`,
          urlStorage: createStartedUploads(storage),
          removeFingerprintOnSuccess: true,
          onBeforeRequest: (request) => {
            if (!isOnline) throw new Error('no line')
            request.setHeader('Authorization', `Bearer ${getSession().accessToken}`)
          },
          onUploadUrlAvailable: () => onStarted(getUploadId(upload.url)),
          onProgress: (sentBytes, totalBytes) => {
            if (isFirst) startOffsets.push(sentBytes)
            isFirst = false
            onProgress(sentBytes, totalBytes)
          },
          onSuccess: () => resolve({ kind: 'fresh', output: { id: getUploadId(upload.url) } }),
          onError: (error) => {
            const response = 'originalResponse' in error ? error.originalResponse : null
            const problem = response
              ? readProblem(response.getStatus(), JSON.parse(response.getBody() || 'null'), null)
              : createLocalProblem('OFFLINE')
            resolve({ kind: 'problem', problem })
          },
        })
        signal.addEventListener('abort', () => void upload.abort())
        void upload.findPreviousUploads().then(([previousUpload]) => {
          if (previousUpload) upload.resumeFromPreviousUpload(previousUpload)
          upload.start()
        })
      }).finally(() => {
        runningCount -= 1
      })
    }

  function createQueue(
    getSession: () => SignedIn = () => fixture.staff,
    overrides: Partial<ConstructorParameters<typeof UploadQueue>[0]> = {},
  ) {
    const queue = new UploadQueue({
      readFile,
      send: createSend(getSession),
      forget: async (id) => {
        await getSession().send({
          method: 'DELETE',
          url: `/api/app/upload/tus/${id}`,
          headers: { 'tus-resumable': '1.0.0' },
        })
        return { kind: 'fresh', output: null }
      },
      fetchUploads: async () =>
        isOnline
          ? { kind: 'fresh', output: await listUploads(getSession()) }
          : { kind: 'problem', problem: createLocalProblem('OFFLINE') },
      getKnownApps: () => new Map(),
      isOnline: () => isOnline,
      ...overrides,
    })
    const readPhases = () => Object.fromEntries(queue.getState().entries.map(({ name, phase }) => [name, phase]))
    const findEntry = (name: string) => {
      const match = queue.getState().entries.find((entry) => entry.name === name)
      if (!match) throw new Error(`${name} is not on the page`)
      return match
    }
    /** Resolves when part of the file, but not all of it, is on the server. */
    const waitUntilHalfway = (name: string) =>
      new Promise<void>((resolve) => {
        const unsubscribe = queue.subscribe(() => {
          const { sentBytes, size } = findEntry(name)
          if (sentBytes < 128 * 1024 || sentBytes >= size) return
          unsubscribe()
          resolve()
        })
      })
    return { queue, readPhases, findEntry, waitUntilHalfway }
  }

  /** Builds a package of ten pieces. */
  const packLarge = async (code: string) => {
    const bytes = await packApp({ facts: { code }, files: { 'data/large.bin': buildNoise(10 * 64 * 1024) } })
    return new File([bytes as BlobPart], `${code}.mapp`)
  }
  const packSmall = async (code: string) => new File([(await packApp({ facts: { code } })) as BlobPart], `${code}.mapp`)

  test('sends two files at a time, and shows what the server read from them', testOptions, async () => {
    const { queue, readPhases, findEntry } = createQueue()
    queue.add(await Promise.all(['pay', 'tax', 'tip'].map(packLarge)))
    await expect.poll(readPhases, pollOptions).toEqual({ 'pay.mapp': 'sent', 'tax.mapp': 'sent', 'tip.mapp': 'sent' })
    expect(maxConcurrent).toBe(2)
    expect(findEntry('tip.mapp')).toMatchObject({ isFromServer: true, row: { code: 'tip', status: 0 } })
  })

  test('keeps the sent bytes of a paused file and continues after them', testOptions, async () => {
    const { queue, readPhases, findEntry, waitUntilHalfway } = createQueue()
    const reachedHalf = waitUntilHalfway('pay.mapp')
    queue.add([await packLarge('pay')])
    await reachedHalf
    queue.pause(findEntry('pay.mapp').key)
    expect(readPhases()).toEqual({ 'pay.mapp': 'paused' })
    await pass(100)
    const [{ received }] = await listUploads(fixture.staff)
    expect(received).toBeGreaterThan(0)
    await pass(100)
    expect((await listUploads(fixture.staff))[0].received).toBe(received)
    queue.retry(findEntry('pay.mapp').key)
    await expect.poll(readPhases, pollOptions).toEqual({ 'pay.mapp': 'sent' })
    expect(startOffsets.at(-1)).toBeGreaterThanOrEqual(received)
  })

  test('shows an unfinished upload after a reload, and continues it with the same file', testOptions, async () => {
    const previousQueue = createQueue()
    const reachedHalf = previousQueue.waitUntilHalfway('pay.mapp')
    const file = await packLarge('pay')
    previousQueue.queue.add([file])
    await reachedHalf
    previousQueue.queue.close()
    await pass(100)
    const { queue, readPhases } = createQueue()
    await queue.refresh()
    expect(readPhases()).toEqual({ 'pay.mapp': 'partial' })
    queue.add([file])
    await expect.poll(readPhases, pollOptions).toEqual({ 'pay.mapp': 'sent' })
    expect(queue.getState().entries).toHaveLength(1)
    expect(startOffsets.at(-1)).toBeGreaterThan(0)
    expect(await listUploads(fixture.staff)).toHaveLength(1)
  })

  test('waits while the connection is lost, and continues by itself', testOptions, async () => {
    const { queue, readPhases, waitUntilHalfway } = createQueue()
    const reachedHalf = waitUntilHalfway('pay.mapp')
    queue.add([await packLarge('pay')])
    await reachedHalf
    isOnline = false
    await expect.poll(readPhases, pollOptions).toEqual({ 'pay.mapp': 'offline' })
    queue.add([await packSmall('tax')])
    await expect.poll(readPhases, pollOptions).toEqual({ 'pay.mapp': 'offline', 'tax.mapp': 'offline' })
    isOnline = true
    queue.wake()
    await expect.poll(readPhases, pollOptions).toEqual({ 'pay.mapp': 'sent', 'tax.mapp': 'sent' })
    expect(await listUploads(fixture.staff)).toHaveLength(2)
  })

  nightly(
    'keeps a file waiting if the server has no space for it, until another file is removed',
    async () => {
      const { queue, readPhases, findEntry } = createQueue()
      queue.add([await packSmall('pay')])
      await expect.poll(readPhases, pollOptions).toEqual({ 'pay.mapp': 'sent' })
      // Uploads started on another device take all places for uploads, although none of their bytes has arrived.
      while ((await beginUpload(fixture.staff)).statusCode === 201);
      queue.add([await packSmall('tax')])
      await expect.poll(() => queue.getState().isFull, pollOptions).toBe(true)
      expect(readPhases()).toEqual({ 'pay.mapp': 'sent', 'tax.mapp': 'waiting' })
      await queue.remove(findEntry('pay.mapp').key)
      await expect.poll(() => readPhases()['tax.mapp'], pollOptions).toBe('sent')
      expect(queue.getState().isFull).toBe(false)
    },
    testOptions.timeout,
  )

  test('sends no file with an error, and shows errors that only the server found', testOptions, async () => {
    const goodFile = await packSmall('pay')
    const { queue, readPhases, findEntry } = createQueue(undefined, {
      // Simulates a file that was changed after it was checked.
      readFile: async (file) => await readFile(file.name === 'changed.mapp' ? goodFile : file),
    })
    queue.add([new File(['hello'], 'nozip.mapp'), new File([buildNoise(1_000) as BlobPart], 'changed.mapp')])
    await expect.poll(readPhases, pollOptions).toEqual({ 'nozip.mapp': 'refused', 'changed.mapp': 'refused' })
    expect(findEntry('nozip.mapp')).toMatchObject({ fault: { code: 'NO_ZIP' }, uploadId: null })
    expect(findEntry('changed.mapp')).toMatchObject({ fault: { code: 'NO_ZIP' }, row: null })
    expect(await listUploads(fixture.staff)).toMatchObject([{ name: 'changed.mapp', state: 'refused' }])
  })

  test('does not show files of another user', testOptions, async () => {
    const ownQueue = createQueue()
    ownQueue.queue.add([await packSmall('pay')])
    await expect.poll(ownQueue.readPhases, pollOptions).toEqual({ 'pay.mapp': 'sent' })
    const secondSession = await fixture.server.signIn('second@m18')
    const { queue, readPhases } = createQueue(() => secondSession)
    await queue.refresh()
    expect(readPhases()).toEqual({})
    queue.add([await packSmall('pay')])
    await expect.poll(readPhases, pollOptions).toEqual({ 'pay.mapp': 'sent' })
    expect(await listUploads(fixture.staff)).toHaveLength(1)
    expect(await listUploads(secondSession)).toHaveLength(1)
  })
})
