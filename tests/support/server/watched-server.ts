/** A server process of which a test can ask how much work and memory one request took. Linux alone has the figures. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { withContext } from '#tests/support/server/companies.ts'
import { startProcess } from '#tests/support/server/process.ts'
import { layDataFolder } from '#tests/support/runner/template.ts'
import { loadWorld } from '#tests/support/server/world.ts'

export interface RequestWork {
  /** Of all its threads, ms. */
  cpu: number
  /** MB above what it held before. */
  memory: number
}

export interface LoopDelay {
  p99: number
  longest: number
}

interface Report extends LoopDelay {
  before: number
  after: number
}

export interface WatchedServer {
  url: string
  said: () => string
  measure(request: () => Promise<unknown>): Promise<RequestWork>
  /** Since the last time, ms. */
  readLoopDelay(): Promise<LoopDelay>
  /** MB that it holds now above what it held at first. */
  readGrowth(): Promise<number>
  end(): Promise<number | null>
}

export async function startWatchedServer(): Promise<WatchedServer> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-watched-'))
  const env = { DATA_DIR: join(folder, 'data'), TRUST_PROXY: '1', DEMO: '0' }
  await layDataFolder(env.DATA_DIR)
  await withContext(env, async (app) => void (await loadWorld(app)))
  const watch = join(import.meta.dirname, 'work-watch.mjs')
  const server = startProcess({ ...env, NODE_OPTIONS: `--import ${watch}` })
  const url = await server.ready
  const { pid = 0 } = server.child

  async function report(): Promise<Report> {
    const from = server.said().length
    process.kill(pid, 'SIGUSR2')
    for (;;) {
      const [, found] = /(\{"watched":.*\})\n/.exec(server.said().slice(from)) ?? []
      if (found) return (JSON.parse(found) as { watched: Report }).watched
      await wait(1)
    }
  }

  const megabytes = async (name: 'VmHWM' | 'VmRSS') => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024
  }

  // The last line of one request is the first of the next.
  let latest = await report()
  const heldAtFirst = await megabytes('VmRSS')

  return {
    url,
    said: server.said,
    async measure(request) {
      const { after } = latest
      // Forgets the highest that it held until now.
      await writeFile(`/proc/${pid}/clear_refs`, '5')
      const held = await megabytes('VmRSS')
      await request()
      const highest = await megabytes('VmHWM')
      latest = await report()
      return { cpu: latest.before - after, memory: highest - held }
    },
    readLoopDelay: report,
    readGrowth: async () => (await megabytes('VmRSS')) - heldAtFirst,
    async end() {
      const code = await server.kill('SIGTERM')
      await rm(folder, { recursive: true, force: true })
      return code
    },
  }
}
