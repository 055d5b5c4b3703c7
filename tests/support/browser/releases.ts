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
  formerFiles: string[]
  open(): Promise<ServedRelease>
  close(): Promise<void>
}

export interface ServedRelease {
  portal: Portal
  /**
   * Replaces the older build by the newer one and restarts the server. `missingPart` removes files whose name contains it, `spoiledPart`
   * replaces them by a login page with 200, as behind a captive portal. `hasFormerFiles: false` omits the older build's files, as if a
   * release had been skipped.
   */
  deploy(options?: {
    settings?: Record<string, string>
    missingPart?: string
    spoiledPart?: string
    hasFormerFiles?: boolean
  }): Promise<void>
}

/** Returns the build in dist/ and a newer build of the same sources. */
export async function buildReleases(): Promise<Releases> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-releases-'))
  const currentDir = join(root, 'dist')
  const nextDir = join(folder, 'next')
  const olderBuild = await readBuild(currentDir)
  // Builds into a folder that contains the older build, like a server that builds in place.
  await cp(currentDir, nextDir, { recursive: true })
  await buildNewer(nextDir, getBuildNumber(olderBuild) + 1)
  return {
    olderBuild,
    newerBuild: await readBuild(nextDir),
    formerFiles: await findPrecachedFiles(currentDir, await readFormerFiles(nextDir)),
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
    async deploy({ settings = {}, missingPart, spoiledPart, hasFormerFiles = true } = {}) {
      await portal.stop()
      await rm(servedDir, { recursive: true })
      await cp(nextDir, servedDir, { recursive: true })
      for (const file of await findFiles(servedDir, missingPart)) await rm(join(servedDir, file))
      for (const file of await findFiles(servedDir, spoiledPart)) {
        if (file.endsWith('.js')) await writeFile(join(servedDir, file), '<!doctype html><title>Please log in</title>')
        else await rm(join(servedDir, file))
      }
      if (!hasFormerFiles)
        for (const file of await readFormerFiles(nextDir)) await rm(join(servedDir, 'assets', file), { force: true })
      await portal.start(settings)
    },
  }
}

async function findFiles(folder: string, namePart: string | undefined): Promise<string[]> {
  if (namePart === undefined) return []
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.includes(namePart))
  if (files.length === 0) throw new Error(`the build has no file whose name holds ${namePart}`)
  return files
}

async function readBuild(folder: string): Promise<string> {
  const { build } = JSON.parse(await readFile(join(folder, 'build.json'), 'utf8')) as { build: string }
  return build
}

const readFormerFiles = async (folder: string) =>
  JSON.parse(await readFile(join(folder, 'former.json'), 'utf8')) as string[]

/** Returns the files that the worker caches. Files that are useless offline are not cached. */
async function findPrecachedFiles(folder: string, files: readonly string[]): Promise<string[]> {
  const worker = await readFile(join(folder, 'sw.js'), 'utf8')
  return files.filter((file) => file.endsWith('.js') && worker.includes(file))
}

async function buildNewer(folder: string, number: number): Promise<void> {
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const env = { ...process.env, NODE_ENV: 'production', BUILD_NUMBER: String(number), CLIENT_DIR: folder }
  const child = spawn(process.execPath, [vite, 'build', '--logLevel', 'error'], {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the newer build ended with ${code}`)
}
