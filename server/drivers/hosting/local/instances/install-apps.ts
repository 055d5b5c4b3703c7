/**
 * Installs apps: packages are copied and verified, and unpacked by a process with limits. Folders are named by the SHA-256 of the package.
 */
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type ProcessLimits, runBounded } from '#server/drivers/bounded-process.ts'
import { HostingError, type InstanceApp } from '#server/drivers/hosting/hosting-driver.ts'
import { syncFolder } from '#server/drivers/hosting/atomic-file.ts'
import { isDiskFull } from '#server/problems/is-disk-full.ts'
import { type InstalledApp, removeOptions } from '#server/drivers/hosting/local/instances/files.ts'

const hashPattern = /^[0-9a-f]{64}$/
const limits: ProcessLimits = {
  dataKb: 900_000,
  cpuSeconds: 20,
  wallMs: 60_000,
  maxOutputBytes: 1_000_000,
  heapMb: 128,
}

/** Throws HostingError `bad_package` or `no_room`. The installed apps stay unchanged in that case. */
export async function installApps(folder: string, apps: readonly InstanceApp[]): Promise<InstalledApp[]> {
  const installedApps: InstalledApp[] = []
  for (const { package: file, code, name, version, module, flags } of apps) {
    if (file) await unpackOnce(folder, file)
    installedApps.push({ code, name, version, module, flags, folder: file?.sha256 ?? null })
  }
  return installedApps
}

export function removeUnusedApps(folder: string, apps: readonly InstalledApp[]): void {
  const usedFolders = new Set(apps.map((app) => app.folder))
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) if (!usedFolders.has(name)) rmSync(join(folder, name), removeOptions)
}

async function unpackOnce(folder: string, file: { path: string; sha256: string }): Promise<void> {
  if (!hashPattern.test(file.sha256)) throw new HostingError('bad_package', 'the SHA-256 of the package is invalid')
  const target = join(folder, file.sha256)
  if (existsSync(target)) return
  const draft = join(folder, `.part-${randomBytes(6).toString('hex')}`)
  mkdirSync(draft, { recursive: true, mode: 0o700 })
  try {
    await copyVerified(file, join(draft, 'package'))
    await unpack(join(draft, 'package'), draft)
    rmSync(join(draft, 'package'))
    renameSync(draft, target)
    syncFolder(folder)
  } finally {
    rmSync(draft, removeOptions)
  }
}

/** The verified copy is unpacked, so that nobody can replace the file between the check and its use. */
async function copyVerified({ path, sha256 }: { path: string; sha256: string }, copyPath: string): Promise<void> {
  const hash = createHash('sha256')
  const hashStream = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  try {
    await pipeline(createReadStream(path), hashStream, createWriteStream(copyPath, { mode: 0o600 }))
  } catch (cause) {
    if (isDiskFull(cause)) throw new HostingError('no_room', 'the disk is full', { cause })
    throw new HostingError('bad_package', 'the file of the package does not exist', { cause })
  }
  const actualHash = hash.digest('hex')
  const isSame = actualHash === sha256
  if (!isSame)
    throw new HostingError('bad_package', `the package differs from the published one: its SHA-256 is ${actualHash}`)
}

async function unpack(path: string, folder: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    const fileIndex = await runBounded(new URL('./unpack-process.ts', import.meta.url), [folder], file.fd, limits)
    if (fileIndex === null) throw new HostingError('bad_package', 'could not unpack the package within its limits')
    await writeFile(join(folder, 'index.json'), fileIndex, { mode: 0o600 })
  } finally {
    await file.close()
  }
}
