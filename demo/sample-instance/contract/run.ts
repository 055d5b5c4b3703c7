/** Runs one task by the instance contract, version 1: serves HTTP on a port until it receives SIGTERM. */
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer, type ServerResponse } from '#server/drivers/hosting/gateway/socket-http.ts'
import { openConsoleLog } from '#demo/sample-instance/contract/console-log.ts'
import {
  type ControlServerOptions,
  handleControl,
  isControlPath,
} from '#demo/sample-instance/contract/control-server.ts'
import {
  EnvironmentError,
  type InstanceEnvironment,
  readInstanceEnvironment,
} from '#demo/sample-instance/contract/environment.ts'
import { openApps } from '#demo/sample-instance/contract/loaded-apps.ts'
import { createMemoryTest, measureMemoryMb } from '#demo/sample-instance/erp/memory-test.ts'
import { createPageServer, logResponse } from '#demo/sample-instance/erp/page-server.ts'
import { createSites } from '#demo/sample-instance/erp/requests.ts'
import { FolderStorage } from '#demo/sample-instance/storage/folder-storage.ts'
import type { InstanceStorage } from '#demo/sample-instance/storage/instance-storage.ts'

/** The contract allows 30 s from SIGTERM to the end. */
const endMs = 25_000
const closeIdleMs = 200
const headersMs = 20_000
/** Longer than gateways keep idle connections, so that they never send a request while this end closes. */
const keepAliveMs = 120_000

/** Sets exit code 2 if the environment is not valid. */
export async function run(env: NodeJS.ProcessEnv): Promise<void> {
  const environment = readEnvironment(env)
  if (environment) await serveContract(environment)
  else process.exitCode = 2
}

function readEnvironment(env: NodeJS.ProcessEnv): InstanceEnvironment | null {
  try {
    return readInstanceEnvironment(env)
  } catch (error) {
    if (!(error instanceof EnvironmentError)) throw error
    for (const mistake of error.mistakes) console.error(`error ${mistake}`)
    return null
  }
}

/** Loads the driver of PostgreSQL only if it is needed. */
async function openStorage({ storage }: InstanceEnvironment): Promise<InstanceStorage> {
  if (storage.kind === 'folder') return new FolderStorage(storage.folder, Date.now)
  const { PostgresStorage } = await import('#demo/sample-instance/storage/postgres-storage.ts')
  return new PostgresStorage(storage.url, Date.now)
}

async function serveContract(environment: InstanceEnvironment): Promise<void> {
  const log = openConsoleLog()
  const { code, publicUrl, adminUrl, port, taskNumber, memoryMb, controlToken } = environment
  const storage = await openStorage(environment)
  const apps = openApps(environment.apps, storage.packages)
  let isEnding = false
  const base = {
    memory: () => ({ task: taskNumber, usedMb: measureMemoryMb(), limitMb: memoryMb }),
    useMoreMemory: createMemoryTest(),
    log: log.write,
    clock: Date.now,
  }
  const handlePage = createPageServer({
    code,
    sites: createSites(publicUrl, adminUrl),
    log: log.write,
    useContext: (work) => storage.useStore(async (store) => work({ ...base, store, apps: await apps.read() })),
  })
  const controlOptions: ControlServerOptions = { token: controlToken, version: readVersion(), storage, log: log.write }

  // Data may be sent for hours, so only the headers have a time limit here.
  const timeouts = { requestTimeout: 0, headersTimeout: headersMs, keepAliveTimeout: keepAliveMs }
  const server = createServer(timeouts, (request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    if (isEnding) response.setHeader('connection', 'close')
    if (path === '/health') return void sendHealth(response)
    if (!isControlPath(path)) return handlePage(request, response)
    logResponse(response, `${request.method} ${path}`, log.write)
    void handleControl(request, response, path, controlOptions)
  })

  async function sendHealth(response: ServerResponse): Promise<void> {
    const problem = isEnding ? 'ending' : await findProblem()
    response.writeHead(problem === null ? 200 : 503, { 'content-type': 'text/plain' }).end(problem ?? 'ok')
  }

  async function findProblem(): Promise<string | null> {
    try {
      await storage.useStore((store) => store.get('select 1 from users limit 1'))
      if (await apps.areComplete()) return null
      log.write('warn', 'the task is not healthy: packages are missing')
      return 'packages are missing'
    } catch (error) {
      log.write('error', `the data cannot be read: ${error instanceof Error ? error.message : String(error)}`)
      return 'the data cannot be read'
    }
  }

  // The first process of a container ignores signals without a handler, so this is set before anything else is awaited.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, end)
  await storage.cleanUp().catch((error: unknown) => log.write('warn', `could not remove old files: ${String(error)}`))
  if (isEnding) return
  server.on('error', (error) => {
    log.write('error', `could not listen on port ${port}: ${error.message}`)
    process.exit(1)
  })
  server.listen(port, () => {
    log.write('info', `task ${taskNumber} started on port ${(server.address() as AddressInfo).port}`)
  })

  function end(): void {
    if (isEnding) return
    isEnding = true
    log.write('info', `task ${taskNumber} is ending`)
    setTimeout(endProcess, endMs).unref()
    if (!server.listening) return endProcess()
    // Running requests finish. Their connections become idle then, and are closed.
    server.close(() => endProcess())
    setInterval(() => server.closeIdleConnections(), closeIdleMs).unref()
  }

  function endProcess(): void {
    log.write('info', `task ${taskNumber} ended`)
    log.close()
    void storage.close().finally(() => process.exit(0))
  }
}

function readVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return version
}
