/** Runs one task of a sample instance: serves HTTP on a local socket until it receives SIGTERM. */
import { openLogWriter } from '#server/drivers/hosting/local/log-writer.ts'
import { createServer, type ServerResponse } from '#server/drivers/hosting/gateway/socket-http.ts'
import { readApps } from '#demo/sample-instance/erp/app-data.ts'
import { createMemoryTest, measureMemoryMb } from '#demo/sample-instance/erp/memory-test.ts'
import { createPageServer } from '#demo/sample-instance/erp/page-server.ts'
import { sitesByPrefix } from '#demo/sample-instance/erp/requests.ts'
import type { SampleContext } from '#demo/sample-instance/erp/routes.ts'
import type { TaskArguments } from '#demo/sample-instance/erp/task-arguments.ts'
import { readStandardInput } from '#demo/sample-instance/standard-input.ts'
import { openSqliteStore } from '#demo/sample-instance/storage/sqlite-store.ts'

const endMs = 3000

/** Serves requests only after `go` on standard input. Before that, the supervisor may have ended without a record of the task. */
export async function serve(argument: string): Promise<void> {
  const taskArguments = JSON.parse(argument) as TaskArguments
  if ((await readStandardInput(16)) !== 'go') return
  const store = await openSqliteStore(taskArguments.data, Date.now())
  const log = openLogWriter(taskArguments.logs, taskArguments.number)
  const context: SampleContext = {
    store,
    apps: readApps(taskArguments),
    memory: () => ({ task: taskArguments.number, usedMb: measureMemoryMb(), limitMb: taskArguments.limitMb }),
    useMoreMemory: createMemoryTest(),
    log: log.write,
    clock: Date.now,
  }
  const handlePage = createPageServer({
    code: taskArguments.code,
    sites: sitesByPrefix,
    log: log.write,
    useContext: (work) => work(context),
  })

  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    // Health checks come from the supervisor directly, not through the gateway.
    if (path === '/health' && request.headers.host === 'socket') return void sendHealth(response)
    handlePage(request, response)
  })

  /** If the database cannot be read, this rejects, which ends the task. */
  async function sendHealth(response: ServerResponse): Promise<void> {
    await store.get('select count(*) from users')
    response.writeHead(200, { 'content-type': 'text/plain' }).end('ok')
  }

  // The socket is accessible to its owner only, like all files of the portal.
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(taskArguments.socket, resolve)
  })
  log.write('info', `task ${taskArguments.number} started`)

  process.on('SIGTERM', () => {
    log.write('info', `task ${taskArguments.number} ended`)
    // Running requests finish. No new ones arrive, because the gateway no longer routes to this task.
    server.close(() => endProcess())
    server.closeIdleConnections()
    setTimeout(endProcess, endMs).unref()
  })

  function endProcess(): void {
    // Closing the log also writes how often the last entry was repeated.
    log.close()
    process.exit(0)
  }
}
