/** Two builds of the same client, one after the other: what a page meets when a new version is put on the server under it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { numberOf } from '#contract/client-build.ts'
import { type Portal, startPortal } from '#tests/support/browser/browser.ts'

const root = join(import.meta.dirname, '..', '..', '..')

export interface Releases {
  /** Their names. */
  older: string
  newer: string
  /** Scripts of the older that its worker keeps and that are not among the newer's own. */
  former: string[]
  /** A portal with the older one. */
  open(): Promise<Served>
  close(): Promise<void>
}

export interface Served {
  portal: Portal
  /**
   * The newer build in the older one's place, behind a restart, as a deploy does it; `without` names files by a part,
   * `spoiled` those that are a login page with 200, as behind a captive portal, `former: false` leaves the older one's away,
   * as when a release was missed.
   */
  deploy(how?: {
    settings?: Record<string, string>
    without?: string
    spoiled?: string
    former?: boolean
  }): Promise<void>
}

/** The build that is in dist/, and a newer one of the same sources. */
export async function buildReleases(): Promise<Releases> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-releases-'))
  const now = join(root, 'dist')
  const next = join(folder, 'next')
  const older = await nameOf(now)
  // Over the older one, as on a server that builds in its place.
  await cp(now, next, { recursive: true })
  await buildNewer(next, numberOf(older) + 1)
  return {
    older,
    newer: await nameOf(next),
    former: await keptOf(now, await formerOf(next)),
    open: async () => serve(await mkdtemp(join(folder, 'served-')), { now, next }),
    close: () => rm(folder, { recursive: true, force: true }),
  }
}

async function serve(served: string, { now, next }: { now: string; next: string }): Promise<Served> {
  await cp(now, served, { recursive: true })
  const portal = await startPortal({ CLIENT_DIR: served })
  return {
    portal,
    async deploy({ settings = {}, without, spoiled, former = true } = {}) {
      await portal.stop()
      await rm(served, { recursive: true })
      await cp(next, served, { recursive: true })
      for (const file of await filesOf(served, without)) await rm(join(served, file))
      for (const file of await filesOf(served, spoiled)) {
        if (file.endsWith('.js')) await writeFile(join(served, file), '<!doctype html><title>Please log in</title>')
        else await rm(join(served, file))
      }
      if (!former) for (const file of await formerOf(next)) await rm(join(served, 'assets', file), { force: true })
      await portal.start(settings)
    },
  }
}

async function filesOf(folder: string, part: string | undefined): Promise<string[]> {
  if (part === undefined) return []
  const found = (await readdir(folder, { recursive: true })).filter((file) => file.includes(part))
  if (found.length === 0) throw new Error(`the build has no file whose name holds ${part}`)
  return found
}

async function nameOf(folder: string): Promise<string> {
  const { build } = JSON.parse(await readFile(join(folder, 'build.json'), 'utf8')) as { build: string }
  return build
}

/** Files of the older build that the newer one keeps beside its own. */
const formerOf = async (folder: string) => JSON.parse(await readFile(join(folder, 'former.json'), 'utf8')) as string[]

/** Those that the worker keeps: what is of no use without a line is on no device and cannot be missed there. */
async function keptOf(folder: string, files: readonly string[]): Promise<string[]> {
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
