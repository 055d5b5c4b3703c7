/** Provides two builds of the same client, to test how an open page handles a new version on the server. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getBuildNumber } from '#contract/client-build.ts'
import { type Portal, startPortal } from '#tests/support/browser/browser.ts'

const root = join(import.meta.dirname, '..', '..', '..')

export interface Releases {
  olderBuild: string
  newerBuild: string
  /** Scripts of the older build that its worker caches and that the newer build does not contain. */
  olderFiles: string[]
  open(): Promise<ServedRelease>
  close(): Promise<void>
}

export interface ServedRelease {
  portal: Portal
  /**
   * Replaces the older build by the newer one and restarts the server. `missingPart` removes files whose name contains it, `spoiledPart`
   * replaces them by a login page with 200, as behind a captive portal. `hasOlderFiles: false` uses an empty file store, as if the older
   * build had been deleted from it.
   */
  deploy(options?: {
    settings?: Record<string, string>
    missingPart?: string
    spoiledPart?: string
    hasOlderFiles?: boolean
  }): Promise<void>
}

/** Returns the build in dist/ and a newer build of the same sources. */
export async function buildReleases(): Promise<Releases> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-releases-'))
  const currentDir = join(root, 'dist')
  const nextDir = join(folder, 'next')
  const olderBuild = await readBuild(currentDir)
  await buildClient(nextDir, getBuildNumber(olderBuild) + 1)
  return {
    olderBuild,
    newerBuild: await readBuild(nextDir),
    olderFiles: await findRemovedFiles(currentDir, nextDir),
    open: async () => serve(await mkdtemp(join(folder, 'served-')), { currentDir, nextDir }),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

async function serve(
  servedDir: string,
  { currentDir, nextDir }: { currentDir: string; nextDir: string },
): Promise<ServedRelease> {
  await cp(currentDir, servedDir, { recursive: true })
  const portal = await startPortal({ CLIENT_DIR: servedDir })
  return {
    portal,
    async deploy({ settings = {}, missingPart, spoiledPart, hasOlderFiles = true } = {}) {
      await portal.stop()
      await rm(servedDir, { recursive: true })
      await cp(nextDir, servedDir, { recursive: true })
      for (const file of await findFiles(servedDir, missingPart)) await rm(join(servedDir, file))
      for (const file of await findFiles(servedDir, spoiledPart)) {
        if (file.endsWith('.js')) await writeFile(join(servedDir, file), '<!doctype html><title>Please log in</title>')
        else await rm(join(servedDir, file))
      }
      await portal.start({ ...settings, ...(hasOlderFiles ? {} : { FILES_DIR: join(portal.dataDir, 'empty-files') }) })
    },
  }
}

async function findFiles(folder: string, namePart: string | undefined): Promise<string[]> {
  if (namePart === undefined) return []
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.includes(namePart))
  if (files.length === 0) throw new Error(`the build has no file whose name holds ${namePart}`)
  return files
}

export async function readBuild(folder: string): Promise<string> {
  const { build } = JSON.parse(await readFile(join(folder, 'build.json'), 'utf8')) as { build: string }
  return build
}

/** Returns the scripts that the worker of the older build caches and that the newer build does not contain. */
async function findRemovedFiles(older: string, newer: string): Promise<string[]> {
  const worker = await readFile(join(older, 'sw.js'), 'utf8')
  const newerFiles = new Set(await readdir(join(newer, 'assets')))
  const files = await readdir(join(older, 'assets'))
  return files.filter((file) => file.endsWith('.js') && !newerFiles.has(file) && worker.includes(file))
}

/** Builds the client with a number into a folder. Takes some ten seconds. */
export async function buildClient(folder: string, number: number): Promise<void> {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const env = { ...process.env, NODE_ENV: 'production', BUILD_NUMBER: String(number), CLIENT_DIR: folder }
  const child = spawn(process.execPath, [vite, 'build', '--logLevel', 'error'], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the build ended with ${code}`)
}
