/** Starts a server process whose processor time and memory per request can be measured. Works on Linux only. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { withContext } from '#tests/support/server/companies.ts'
import { startProcess } from '#tests/support/server/process.ts'
import { createDataFolder } from '#tests/support/runner/template.ts'
import { loadWorld } from '#tests/support/server/world.ts'

export interface RequestWork {
  /** Processor time of all threads of the server, ms. */
  cpu: number
  /** Peak memory during the request minus the memory before it, MB. */
  memory: number
}

export interface LoopDelay {
  p99: number
  longest: number
}

interface WorkReport extends LoopDelay {
  before: number
  after: number
}

export interface WatchedServer {
  url: string
  output: () => string
  measure(request: () => Promise<unknown>): Promise<RequestWork>
  /** Returns the delays of the event loop since the last call, ms. */
  readLoopDelay(): Promise<LoopDelay>
  /** Returns the growth of the server's memory since the start, MB. */
  readGrowth(): Promise<number>
  end(): Promise<number | null>
}

export async function startWatchedServer(): Promise<WatchedServer> {
  const folder = await mkdtemp(join(tmpdir(), 'portal-watched-'))
  const env = { DATA_DIR: join(folder, 'data'), TRUST_PROXY: '1', DEMO: '0' }
  await createDataFolder(env.DATA_DIR)
  await withContext(env, async (app) => void (await loadWorld(app)))
  const watch = join(import.meta.dirname, 'work-watch.mjs')
  const server = startProcess({ ...env, NODE_OPTIONS: `--import ${watch}` })
  const url = await server.ready
  const { pid = 0 } = server.child

  async function requestReport(): Promise<WorkReport> {
    const outputStart = server.output().length
    process.kill(pid, 'SIGUSR2')
    for (;;) {
      const [, reportJson] = /(\{"watched":.*\})\n/.exec(server.output().slice(outputStart)) ?? []
      if (reportJson) return (JSON.parse(reportJson) as { watched: WorkReport }).watched
      await wait(1)
    }
  }

  const readMegabytes = async (name: 'VmHWM' | 'VmRSS') => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024
  }

  // The report at the end of one request is also the report at the start of the next.
  let latest = await requestReport()
  const memoryAtStart = await readMegabytes('VmRSS')

  return {
    url,
    output: server.output,
    async measure(request) {
      const { after } = latest
      // Resets the peak memory.
      await writeFile(`/proc/${pid}/clear_refs`, '5')
      const memoryBefore = await readMegabytes('VmRSS')
      await request()
      const peakMemory = await readMegabytes('VmHWM')
      latest = await requestReport()
      return { cpu: latest.before - after, memory: peakMemory - memoryBefore }
    },
    readLoopDelay: requestReport,
    readGrowth: async () => (await readMegabytes('VmRSS')) - memoryAtStart,
    async end() {
      const code = await server.kill('SIGTERM')
      await rm(folder, { recursive: true, force: true })
      return code
    },
  }
}
