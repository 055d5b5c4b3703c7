/** Tests the move from a folder to a bucket, and the copies of packages on a machine. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { readObject, toBody } from '#server/drivers/file-store/bodies.ts'
import type { FileStore } from '#server/drivers/file-store/file-store.ts'
import { createBucketStore } from '#server/drivers/file-store/s3/store.ts'
import { copyFiles } from '#server/use-cases/uploads/copy-files.ts'
import { cachePackage, removeOldCopies, removeOldPackages } from '#server/use-cases/uploads/local-copies.ts'
import { readPieces, writePieces } from '#server/use-cases/uploads/upload-pieces.ts'
import { type S3Server, startS3 } from '#tests/support/hosting/s3/server.ts'
import { testConfig } from '#tests/support/server/database.ts'
import { openTestFiles } from '#tests/support/server/files.ts'

const hash = (data: Buffer) => createHash('sha256').update(data).digest('hex')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portal-copy-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('copyFiles', () => {
  let bucket: S3Server
  let target: FileStore
  beforeAll(async () => {
    bucket = await startS3()
    target = createBucketStore(bucket.settings(), { tries: 2 })
  })
  afterAll(async () => {
    await target.close()
    await bucket.close()
  })
  const copyAll = async () =>
    Object.fromEntries(
      (await Array.fromAsync(copyFiles(openTestFiles({ filesDir: folder }), target))).map(({ key, outcome }) => [
        key,
        outcome,
      ]),
    )

  it('copies what is missing, reports what differs, and can be repeated', async () => {
    const source = openTestFiles({ filesDir: folder })
    const [packed, upload, id] = [Buffer.from('package'), Buffer.from('half of an upload'), 'a'.repeat(32)]
    const packageKey = `packages/${hash(packed)}.mapp`
    const damagedKey = `packages/${'0'.repeat(64)}.mapp`
    await source.put(packageKey, toBody(packed))
    await source.put(damagedKey, toBody(packed))
    await source.put('audit-archive/audit-1-0-256.ndjson', toBody('entries'))
    await source.put('audit-archive/audit-1-256-512.ndjson.partial', toBody('half'))
    await source.put(`uploads/${id}`, toBody(upload.subarray(0, 5)))
    await source.put(`uploads/${id}.json`, toBody('{"size":17}'))
    bucket.disturb('PutObject', 'cut', 2)
    await expect(copyAll()).rejects.toMatchObject({ fault: 'unreachable' })

    const archiveKey = 'audit-archive/audit-1-0-256.ndjson'
    const otherOutcomes = { [packageKey]: 'copied', [archiveKey]: 'copied', [`uploads/${id}.json`]: 'copied' }
    expect(await copyAll()).toEqual({ ...otherOutcomes, [damagedKey]: 'damaged', [`uploads/${id}`]: 'copied' })
    await source.put(`uploads/${id}`, toBody(upload))
    await target.put(archiveKey, toBody('other entries'))
    expect(await copyAll()).toEqual({
      [packageKey]: 'equal',
      [archiveKey]: 'different',
      [damagedKey]: 'damaged',
      [`uploads/${id}`]: 'copied',
      [`uploads/${id}.json`]: 'equal',
    })
    expect(String(Buffer.concat(await Array.fromAsync(readPieces(target, id))))).toBe(String(upload))
    expect(String(await readObject(target, archiveKey))).toBe('other entries')
    await writePieces(target, id, upload.length, toBody('more'))
    expect((await copyAll())[`uploads/${id}`]).toBe('different')
  })
})

describe('the command copy-files', () => {
  const run = (env: Record<string, string>) =>
    promisify(execFile)(process.execPath, ['server/cli/copy-files.ts'], {
      env: { PATH: process.env.PATH, FILES_DIR: folder, DATA_DIR: join(folder, 'none'), ...env },
    }).then(
      ({ stdout }) => [0, stdout.trim()],
      ({ code, stderr }: { code: number; stderr: string }) => [code, stderr.trim()],
    )

  it('copies the folder into the configured bucket, and names what is wrong in one sentence', async () => {
    const bucket = await startS3()
    const { bucket: name, endpoint, credentials } = bucket.settings()
    const env = {
      FILES_STORE: 's3',
      FILES_BUCKET: name,
      FILES_PREFIX: 'portal',
      S3_ENDPOINT: endpoint ?? '',
      AWS_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
      AWS_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
    }
    await openTestFiles({ filesDir: folder }).put('audit-archive/a.ndjson', toBody('entries'))
    const [noBucket, repeatedRuns, refusedRun] = await Promise.all([
      run({}),
      run(env).then(async (result) => [...result, await run(env)]),
      run({ ...env, FILES_BUCKET: 'other' }),
    ])
    expect(noBucket).toEqual([1, expect.stringMatching(/^Set FILES_STORE=s3 and FILES_BUCKET: [^\n]*$/)])
    expect(repeatedRuns).toEqual([
      0,
      'Copied: 1. Already in the bucket: 0. Failed: 0.',
      [0, 'Copied: 0. Already in the bucket: 1. Failed: 0.'],
    ])
    expect(refusedRun).toEqual([1, expect.stringMatching(/^The bucket returned NoSuchBucket [^\n]*$/)])
    expect([...bucket.content.objects.keys()]).toEqual(['portal/audit-archive/a.ndjson'])
    await bucket.close()
  }, 60_000)
})

describe('copies of packages on a machine', () => {
  const createContext = () => ({ config: testConfig({ DATA_DIR: folder }) })
  const setAge = (path: string, ageMs: number) => {
    const seconds = (Date.now() - ageMs) / 1000
    return utimes(path, seconds, seconds)
  }

  it('are verified, downloaded once, and made by two processes at the same time', async () => {
    const data = Buffer.from('package')
    let readCount = 0
    const readBody = () => {
      readCount += 1
      return toBody(data)
    }
    const app = createContext()
    const [path, samePath] = await Promise.all([1, 2].map(() => cachePackage(app, hash(data), readBody)))
    expect([path === samePath, String(await readFile(path ?? ''))]).toEqual([true, 'package'])
    await cachePackage(app, hash(data), readBody)
    expect(readCount).toBe(2)
    await writeFile(path ?? '', 'packagE')
    await cachePackage(app, hash(data), readBody)
    expect([readCount, String(await readFile(path ?? ''))]).toEqual([3, 'package'])
    await expect(cachePackage(app, '0'.repeat(64), readBody)).rejects.toMatchObject({ fault: 'damaged' })
    expect(await readdir(join(folder, 'cache', 'packages'))).toEqual([`${hash(data)}.mapp`])
  })

  it('are removed if they are too many, but not within an hour of their last use', async () => {
    const packages = join(folder, 'cache', 'packages')
    await mkdir(packages, { recursive: true })
    for (const [index, name] of ['a', 'b', 'c', 'd'].entries()) {
      await writeFile(join(packages, `${name}.mapp`), 'x'.repeat(10))
      await setAge(join(packages, `${name}.mapp`), index * 3_500_000)
    }
    await writeFile(join(packages, 'killed.part'), 'x')
    await setAge(join(packages, 'killed.part'), 7_200_000)
    expect(await removeOldPackages(packages, 30)).toBe(1)
    expect((await readdir(packages)).toSorted()).toEqual(['a.mapp', 'b.mapp', 'c.mapp', 'killed.part'])
    expect(await removeOldPackages(packages, 0)).toBe(1)
    expect(await removeOldCopies(createContext())).toBe(1)
    expect((await readdir(packages)).toSorted()).toEqual(['a.mapp', 'b.mapp'])
  })
})
