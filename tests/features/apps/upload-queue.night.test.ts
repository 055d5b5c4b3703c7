/** The files on the upload page's way to the server: paused, resumed, after a reload, over a lost line, with no room, refused. By tus, over a real socket. */
import { setTimeout as pass } from 'node:timers/promises'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { Upload } from 'tus-js-client'
import { localProblem, readProblem } from '#contract/problem.ts'
import type { Packages } from '#request/results.ts'
import { begunUploads } from '#app/connection/begun-uploads.ts'
import { readFile } from '#features/apps/upload/read-file.ts'
import { UploadQueue } from '#features/apps/upload/upload-queue.ts'
import { nightly } from '#tests/support/runner/nightly.ts'
import type { SignedIn } from '#tests/support/server/server.ts'
import { onConnections } from '#tests/support/server/database.ts'
import { noise, packed } from '#tests/support/uploads/packages.ts'
import { beginUpload, listUploads, setUpUploads } from '#tests/support/uploads/uploads.ts'

/** The server opens each file in a process of its own, which takes its time beside other work. */
const patience = { timeout: 60_000 }
const long = { timeout: 90_000 }

onConnections('the queue of the upload page', (engine) => {
  const the = setUpUploads(engine)
  let url: string
  let isOnline: boolean
  /** Where uploads that were begun go on: outlives the page. */
  let stored: Map<string, string>
  let mostAtOnce: number
  let under: number
  /** Where each attempt began, in bytes. */
  let begunAt: number[]
  beforeAll(async () => {
    url = await the.server.fastify.listen({ port: 0, host: '127.0.0.1' })
  })
  beforeEach(() => {
    isOnline = true
    stored = new Map()
    mostAtOnce = 0
    under = 0
    begunAt = []
  })

  const storage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  }
  const idIn = (place: string | null) => place?.split('/').at(-1) ?? ''

  /** As the page sends, by the same client; a file of Node's is given as its bytes. */
  const sendBy =
    (by: () => SignedIn): Packages['send'] =>
    async (file, { md5, signal, onBegun, onProgress }) => {
      const bytes = Buffer.from(await file.arrayBuffer())
      under += 1
      mostAtOnce = Math.max(mostAtOnce, under)
      let isFirst = true
      return await new Promise<Awaited<ReturnType<Packages['send']>>>((resolve) => {
        const upload = new Upload(bytes, {
          endpoint: `${url}/api/app/upload/tus`,
          metadata: { filename: file.name },
          chunkSize: 64 * 1024,
          retryDelays: [],
          fingerprint: async () => `${by().userId} ${md5}`,
          urlStorage: begunUploads(storage),
          removeFingerprintOnSuccess: true,
          onBeforeRequest: (sent) => {
            if (!isOnline) throw new Error('no line')
            sent.setHeader('Authorization', `Bearer ${by().access}`)
          },
          onUploadUrlAvailable: () => onBegun(idIn(upload.url)),
          onProgress: (sent, total) => {
            if (isFirst) begunAt.push(sent)
            isFirst = false
            onProgress(sent, total)
          },
          onSuccess: () => resolve({ kind: 'fresh', output: { id: idIn(upload.url) } }),
          onError: (error) => {
            const answer = 'originalResponse' in error ? error.originalResponse : null
            const problem = answer
              ? readProblem(answer.getStatus(), JSON.parse(answer.getBody() || 'null'), null)
              : localProblem('OFFLINE')
            resolve({ kind: 'problem', problem })
          },
        })
        signal.addEventListener('abort', () => void upload.abort())
        void upload.findPreviousUploads().then(([before]) => {
          if (before) upload.resumeFromPreviousUpload(before)
          upload.start()
        })
      }).finally(() => {
        under -= 1
      })
    }

  function queueOf(
    by: () => SignedIn = () => the.staff,
    parts: Partial<ConstructorParameters<typeof UploadQueue>[0]> = {},
  ) {
    const queue = new UploadQueue({
      read: readFile,
      send: sendBy(by),
      forget: async (id) => {
        await by().send({ method: 'DELETE', url: `/api/app/upload/tus/${id}`, headers: { 'tus-resumable': '1.0.0' } })
        return { kind: 'fresh', output: null }
      },
      list: async () =>
        isOnline
          ? { kind: 'fresh', output: await listUploads(by()) }
          : { kind: 'problem', problem: localProblem('OFFLINE') },
      apps: () => new Map(),
      isOnline: () => isOnline,
      ...parts,
    })
    const phases = () => Object.fromEntries(queue.snapshot().entries.map(({ name, phase }) => [name, phase]))
    const entry = (name: string) => {
      const found = queue.snapshot().entries.find((one) => one.name === name)
      if (!found) throw new Error(`${name} is not on the page`)
      return found
    }
    /** Until some of it, and not all, is on the server. */
    const halfway = (name: string) =>
      new Promise<void>((done) => {
        const end = queue.subscribe(() => {
          const { sent, size } = entry(name)
          if (sent < 128 * 1024 || sent >= size) return
          end()
          done()
        })
      })
    return { queue, phases, entry, halfway }
  }

  /** Ten pieces. */
  const large = async (code: string) => {
    const bytes = await packed({ facts: { code }, files: { 'data/large.bin': noise(10 * 64 * 1024) } })
    return new File([bytes as BlobPart], `${code}.mapp`)
  }
  const small = async (code: string) => new File([(await packed({ facts: { code } })) as BlobPart], `${code}.mapp`)

  test('sends two files at a time, and takes the server’s word for what is in them', long, async () => {
    const { queue, phases, entry } = queueOf()
    queue.add(await Promise.all(['pay', 'tax', 'tip'].map(large)))
    await expect.poll(phases, patience).toEqual({ 'pay.mapp': 'sent', 'tax.mapp': 'sent', 'tip.mapp': 'sent' })
    expect(mostAtOnce).toBe(2)
    expect(entry('tip.mapp')).toMatchObject({ isServers: true, row: { code: 'tip', status: 0 } })
  })

  test('keeps what was sent of a paused file, and goes on from there', long, async () => {
    const { queue, phases, entry, halfway } = queueOf()
    const half = halfway('pay.mapp')
    queue.add([await large('pay')])
    await half
    queue.pause(entry('pay.mapp').key)
    expect(phases()).toEqual({ 'pay.mapp': 'paused' })
    await pass(100)
    const [{ received }] = await listUploads(the.staff)
    expect(received).toBeGreaterThan(0)
    await pass(100)
    expect((await listUploads(the.staff))[0].received).toBe(received)
    queue.again(entry('pay.mapp').key)
    await expect.poll(phases, patience).toEqual({ 'pay.mapp': 'sent' })
    expect(begunAt.at(-1)).toBeGreaterThanOrEqual(received)
  })

  test('shows after a reload what was begun, and goes on with the same file in its place', long, async () => {
    const before = queueOf()
    const half = before.halfway('pay.mapp')
    const file = await large('pay')
    before.queue.add([file])
    await half
    before.queue.close()
    await pass(100)
    const { queue, phases } = queueOf()
    await queue.refresh()
    expect(phases()).toEqual({ 'pay.mapp': 'partial' })
    queue.add([file])
    await expect.poll(phases, patience).toEqual({ 'pay.mapp': 'sent' })
    expect(queue.snapshot().entries).toHaveLength(1)
    expect(begunAt.at(-1)).toBeGreaterThan(0)
    expect(await listUploads(the.staff)).toHaveLength(1)
  })

  test('waits when the line is lost, and goes on by itself once it is back', long, async () => {
    const { queue, phases, halfway } = queueOf()
    const half = halfway('pay.mapp')
    queue.add([await large('pay')])
    await half
    isOnline = false
    await expect.poll(phases, patience).toEqual({ 'pay.mapp': 'offline' })
    queue.add([await small('tax')])
    await expect.poll(phases, patience).toEqual({ 'pay.mapp': 'offline', 'tax.mapp': 'offline' })
    isOnline = true
    queue.wake()
    await expect.poll(phases, patience).toEqual({ 'pay.mapp': 'sent', 'tax.mapp': 'sent' })
    expect(await listUploads(the.staff)).toHaveLength(2)
  })

  nightly(
    'holds what the server has no room for, until something is removed',
    async () => {
      const { queue, phases, entry } = queueOf()
      queue.add([await small('pay')])
      await expect.poll(phases, patience).toEqual({ 'pay.mapp': 'sent' })
      // Begun on another device: its place is taken, its bytes have not come.
      while ((await beginUpload(the.staff)).statusCode === 201);
      queue.add([await small('tax')])
      await expect.poll(() => queue.snapshot().isFull, patience).toBe(true)
      expect(phases()).toEqual({ 'pay.mapp': 'sent', 'tax.mapp': 'waiting' })
      await queue.remove(entry('pay.mapp').key)
      await expect.poll(() => phases()['tax.mapp'], patience).toBe('sent')
      expect(queue.snapshot().isFull).toBe(false)
    },
    long.timeout,
  )

  test(
    'sends no file with a fault in it, and says what the server found where this device found nothing',
    long,
    async () => {
      const good = await small('pay')
      const { queue, phases, entry } = queueOf(undefined, {
        // The file was changed after it was read.
        read: async (file) => await readFile(file.name === 'changed.mapp' ? good : file),
      })
      queue.add([new File(['hello'], 'nozip.mapp'), new File([noise(1_000) as BlobPart], 'changed.mapp')])
      await expect.poll(phases, patience).toEqual({ 'nozip.mapp': 'refused', 'changed.mapp': 'refused' })
      expect(entry('nozip.mapp')).toMatchObject({ fault: { code: 'NO_ZIP' }, uploadId: null })
      expect(entry('changed.mapp')).toMatchObject({ fault: { code: 'NO_ZIP' }, row: null })
      expect(await listUploads(the.staff)).toMatchObject([{ name: 'changed.mapp', state: 'refused' }])
    },
  )

  test('shows nothing that another user has sent', long, async () => {
    const mine = queueOf()
    mine.queue.add([await small('pay')])
    await expect.poll(mine.phases, patience).toEqual({ 'pay.mapp': 'sent' })
    const second = await the.server.signIn('second@m18')
    const { queue, phases } = queueOf(() => second)
    await queue.refresh()
    expect(phases()).toEqual({})
    queue.add([await small('pay')])
    await expect.poll(phases, patience).toEqual({ 'pay.mapp': 'sent' })
    expect(await listUploads(the.staff)).toHaveLength(1)
    expect(await listUploads(second)).toHaveLength(1)
  })
})
